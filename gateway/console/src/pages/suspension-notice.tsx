import type { AccountInfo } from '../api/client.ts';
import { formatDate } from '../format/format.ts';
import { Link } from '../parts/link.tsx';

interface SuspensionNoticeProps {
  readonly suspension: NonNullable<AccountInfo['suspension']>;
}

/** On every page, as long as the account is suspended. */
export function SuspensionNotice({ suspension }: SuspensionNoticeProps) {
  return (
    <div class="page-notice page-notice-bad" role="status">
      <p>
        <strong>This account has been suspended since {formatDate(suspension.suspendedAt)}.</strong>{' '}
        {suspension.reason}
      </p>
      <p>
        It starts no jobs and changes nothing that costs money. You can download what is finished,{' '}
        <Link to="/account">export or delete your data</Link> and <Link to="/billing">pay invoices</Link>.
      </p>
    </div>
  );
}
