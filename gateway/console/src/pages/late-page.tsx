import type { ComponentType } from 'preact';
import { FailureNotice, Skeleton } from '../parts/notices.tsx';
import { useQuery } from '../state/query.ts';

/** A page whose code is loaded when it is first opened, so that the first page stays small. */
export function latePage<P extends object>(
  name: string,
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  return function LatePage(props: P) {
    const { data: Loaded, failure } = useQuery(`code of ${name}`, load);
    if (Loaded !== undefined) return <Loaded {...props} />;
    return (
      <div class="page">
        {failure === undefined ? (
          <Skeleton rows={5} />
        ) : (
          // After an update of the service the code is at another address, which a new document has.
          <FailureNotice failure={failure} onRetry={() => location.reload()} />
        )}
      </div>
    );
  };
}
