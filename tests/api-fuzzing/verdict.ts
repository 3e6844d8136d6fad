/**
 * The verdict on one run of schemathesis, from its own report; slow: some responses took longer than allowed.
 */
export interface Verdict {
  readonly kind: 'clean' | 'slow' | 'found';
}

export interface Report {
  readonly failures: readonly { readonly code: string }[];
  readonly errors: readonly unknown[];
  /** By kind, with the operations concerned; kinds that did not occur are empty. */
  readonly warnings: Readonly<Record<string, readonly string[]>>;
}

/** `Response time limit exceeded`; see `schemathesis explain ST112`. */
const TOO_SLOW = 'ST112';

export function verdictOf(exitCode: number | null, { failures, errors, warnings }: Report): Verdict {
  if (exitCode === 0) return { kind: 'clean' };
  const isElsewise = errors.length > 0 || Object.values(warnings).some((concerned) => concerned.length > 0);
  if (isElsewise || failures.length === 0 || failures.some(({ code }) => code !== TOO_SLOW)) {
    return { kind: 'found' };
  }
  return { kind: 'slow' };
}
