import { useState } from 'preact/hooks';
import { type Failure, failureOf } from '../../api/failure.ts';

/** What a form does when it is submitted, once at a time, and how that failed. */
export function useSubmission(act: () => Promise<void>) {
  const [failure, setFailure] = useState<Failure>();
  const [isRunning, setRunning] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isRunning) return;
    setRunning(true);
    setFailure(undefined);
    await act().catch((error) => setFailure(failureOf(error)));
    setRunning(false);
  };
  return {
    submit,
    isRunning,
    problemOf: (field: string) => failure?.fields.get(field),
    /** One that is of no field. */
    failure: failure?.fields.size === 0 ? failure : undefined,
  };
}
