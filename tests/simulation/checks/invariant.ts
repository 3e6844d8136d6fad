/** A violated invariant. A failure reports its name together with the seed. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
  readonly invariant: string;
  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

export function requireInvariant(
  invariant: string,
  holds: boolean,
  what: string | (() => string),
): asserts holds {
  if (!holds) throw new InvariantError(invariant, typeof what === 'string' ? what : what());
}
