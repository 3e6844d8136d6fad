import { useRef } from 'preact/hooks';
import { api, failureOf } from '../../api/client.ts';
import { Icon } from '../../parts/icons.tsx';
import { announce } from '../../state/announce.ts';

/** Asks before the link is followed, because a download that is refused cannot say why. */
export function BatchArchiveButton({ batchId }: { readonly batchId: string }) {
  const check = useRef<'none' | 'running' | 'passed'>('none');
  const follow = async (event: Event & { readonly currentTarget: HTMLAnchorElement }) => {
    const link = event.currentTarget;
    if (check.current === 'passed') {
      check.current = 'none';
      return;
    }
    event.preventDefault();
    if (check.current === 'running') return;
    check.current = 'running';
    try {
      await api.batches.checkArchive.query({ batchId });
      check.current = 'passed';
      link.click();
    } catch (error) {
      check.current = 'none';
      announce(failureOf(error).message);
    }
  };
  return (
    <a class="button button-primary" href={`/console/archives/batches/${batchId}`} download onClick={follow}>
      <Icon name="download" size={18} /> Download all
    </a>
  );
}
