import type { ComponentChildren } from 'preact';
import { Field } from '../src/parts/field.tsx';
import { Link } from '../src/parts/link.tsx';
import { FailureNotice } from '../src/parts/notices.tsx';
import type { Query } from '../src/state/query.ts';

/** The lead of a live page. An error replaces its text without moving the layout. */
export function LiveLead({
  of: { data, failure },
  children,
}: {
  readonly of: Query<unknown>;
  readonly children: ComponentChildren;
}) {
  const isStale = data !== undefined && failure !== undefined;
  return (
    <span role="status" class={isStale ? 'is-bad' : undefined}>
      {isStale ? `Not up to date (${failure.code}).` : children}
    </span>
  );
}

interface ReasonFieldProps {
  readonly value: string;
  readonly problem?: string | undefined;
  readonly isMailed?: boolean;
  readonly onInput: (value: string) => void;
}

export function ReasonField({ value, problem, isMailed = false, onInput }: ReasonFieldProps) {
  return (
    <Field
      label="Reason"
      hint={
        isMailed
          ? "Mailed to the account's holder as it stands, and kept in the audit log with your name."
          : 'Kept in the audit log, with your name.'
      }
      problem={problem}
    >
      {(ids) => (
        <input
          {...ids}
          required
          maxLength={1_000}
          autocomplete="off"
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** An error before any data has been loaded. */
export function FirstFailure({ of: { data, failure, reload } }: { readonly of: Query<unknown> }) {
  return data === undefined && failure !== undefined ? (
    <FailureNotice failure={failure} onRetry={reload} />
  ) : null;
}

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
