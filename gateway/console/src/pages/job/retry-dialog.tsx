import { useState } from 'preact/hooks';
import type { SourceHeaders } from '../../audio/source-headers.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/field.tsx';
import { retryJob } from '../../state/retry-job.ts';

interface RetryDialogProps {
  readonly jobId: string;
  readonly sourceHeaderNames: readonly string[];
  readonly onClose: () => void;
}

/** For a job whose source was asked for with headers. */
export function RetryDialog({ jobId, sourceHeaderNames, onClose }: RetryDialogProps) {
  const [values, setValues] = useState<SourceHeaders>({});
  const headers = Object.fromEntries(sourceHeaderNames.map((name) => [name, (values[name] ?? '').trim()]));
  return (
    <Confirm
      title="Enter the headers again"
      action="Try again"
      isReady={!Object.values(headers).includes('')}
      onClose={onClose}
      onConfirm={() => retryJob(jobId, headers)}
    >
      <p>
        The link was requested with headers. Their values were deleted when the job ended, and the job would
        fail without them.
      </p>
      {sourceHeaderNames.map((name) => (
        <Field key={name} label={name}>
          {(ids) => (
            <input
              {...ids}
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={values[name] ?? ''}
              onInput={({ currentTarget: { value } }) => setValues((given) => ({ ...given, [name]: value }))}
            />
          )}
        </Field>
      ))}
    </Confirm>
  );
}
