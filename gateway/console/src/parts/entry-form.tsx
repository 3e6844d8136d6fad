import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';
import { FailureNotice } from './notices.tsx';

interface EntryFormProps {
  readonly action: string;
  /** Label of the button while the call is in flight. */
  readonly running: string;
  /** Leads away from the form where it succeeds. */
  readonly onEnter: () => Promise<void>;
  /** The fields, each with its own error. */
  readonly children: (problemOf: (field: string) => string | undefined) => ComponentChildren;
}

/** The form for signing in or up. */
export function EntryForm({ action, running, onEnter, children }: EntryFormProps) {
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    await onEnter().catch((error) => {
      setFailure(failureOf(error));
      setRunning(false);
    });
  };
  return (
    <form class="entry-form" onSubmit={submit}>
      {children((field) => failure?.fields.get(field))}
      {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
      <button type="submit" class="button button-primary button-wide" aria-disabled={isRunning}>
        {isRunning ? running : action}
      </button>
    </form>
  );
}
