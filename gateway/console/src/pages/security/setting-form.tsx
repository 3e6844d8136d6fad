import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/failure.ts';
import { FailureNotice } from '../../parts/notices.tsx';

interface SettingFormProps {
  readonly action: string;
  /** The form stays where it succeeds. */
  readonly onSave: () => Promise<void>;
  readonly children: (problemOf: (field: string) => string | undefined) => ComponentChildren;
}

/** A change of a setting, in its panel. */
export function SettingForm({ action, onSave, children }: SettingFormProps) {
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    await onSave().catch((error) => setFailure(failureOf(error)));
    setRunning(false);
  };
  return (
    <form class="setting-form" onSubmit={submit}>
      {children((field) => failure?.fields.get(field))}
      {failure !== undefined && failure.fields.size === 0 && <FailureNotice failure={failure} />}
      <div class="row">
        <button type="submit" class="button button-primary" aria-disabled={isRunning}>
          {action}
        </button>
      </div>
    </form>
  );
}
