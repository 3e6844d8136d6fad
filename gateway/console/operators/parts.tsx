import { Link } from '../src/parts/link.tsx';

export function AccountLink({ accountId }: { readonly accountId: string }) {
  return (
    <Link to={`/accounts/${encodeURIComponent(accountId)}`} class="row-link id">
      {accountId}
    </Link>
  );
}

export function JobName({ jobId, part }: { readonly jobId: string; readonly part: number | null }) {
  return (
    <span class="id">
      {jobId}
      {part !== null && <span class="id-part"> part {part + 1}</span>}
    </span>
  );
}
