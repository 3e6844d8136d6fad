/** Checks the form of a limit's response. Used by k6's script and by tests. */
export type AnswerVerdict = 'passed' | 'refused' | 'other';

export function verdictOf(status: number): AnswerVerdict {
  if (status === 429) return 'refused';
  return status >= 200 && status < 300 ? 'passed' : 'other';
}

/** Whether a body is the API's envelope for RATE_LIMITED, with the same wait as in the header. */
export function isRateLimitedEnvelope(body: string, retryAfterSeconds: number): boolean {
  let parsed: { readonly error?: Readonly<Record<string, unknown>> } | null;
  try {
    parsed = JSON.parse(body);
  } catch {
    return false;
  }
  const error = parsed?.error;
  return (
    error?.code === 'RATE_LIMITED' &&
    error.status === 429 &&
    typeof error.message === 'string' &&
    error.message !== '' &&
    error.retryAfter === retryAfterSeconds
  );
}
