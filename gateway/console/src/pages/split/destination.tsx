import { FailureNotice, Skeleton } from '../../parts/notices.tsx';
import { useQuery } from '../../state/query.ts';
import type { DestinationProps } from './destination-fields.tsx';

/** Its code, and the names of connections, are loaded when the options are unfolded. */
export function DestinationOptions(props: DestinationProps) {
  const {
    data: part,
    failure,
    reload,
  } = useQuery('code of destinations', () => import('./destination-fields.tsx'));
  if (part !== undefined) return <part.DestinationFields {...props} />;
  return (
    <div class="more-whole">
      {failure === undefined ? <Skeleton rows={1} /> : <FailureNotice failure={failure} onRetry={reload} />}
    </div>
  );
}
