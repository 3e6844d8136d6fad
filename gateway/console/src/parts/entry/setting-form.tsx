import type { ComponentChildren } from 'preact';
import { FailureNotice } from '../notices.tsx';
import { useSubmission } from './use-submission.ts';

interface SettingFormProps {
  readonly action: string;
  /** The form stays where it succeeds. */
  readonly onSave: () => Promise<void>;
  /** The fields, each with its own error. */
  readonly children: (problemOf: (field: string) => string | undefined) => ComponentChildren;
}

/** A change of a setting, in its panel. */
export function SettingForm({ action, onSave, children }: SettingFormProps) {
  const { submit, isRunning, problemOf, failure } = useSubmission(onSave);
  return (
    <form class="setting-form" onSubmit={submit}>
      {children(problemOf)}
      {failure !== undefined && <FailureNotice failure={failure} />}
      <div class="row">
        <button type="submit" class="button button-primary" aria-disabled={isRunning}>
          {action}
        </button>
      </div>
    </form>
  );
}
