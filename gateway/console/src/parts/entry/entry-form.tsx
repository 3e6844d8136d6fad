import type { ComponentChildren } from 'preact';
import { FailureNotice } from '../notices.tsx';
import { useSubmission } from './use-submission.ts';

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
  const { submit, isRunning, problemOf, failure } = useSubmission(onEnter);
  return (
    <form class="entry-form" onSubmit={submit}>
      {children(problemOf)}
      {failure !== undefined && <FailureNotice failure={failure} />}
      <button type="submit" class="button button-primary button-wide" aria-disabled={isRunning}>
        {isRunning ? running : action}
      </button>
    </form>
  );
}
