/** Wrong arguments; the message says which ones are right. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Those whose name holds one of the words, all where none is given. Throws UsageError where that leaves nothing. */
export function namedLike<T>(
  all: readonly T[],
  words: readonly string[],
  nameOf: (one: T) => string,
  kind: string,
): readonly T[] {
  const chosen = all.filter((one) => words.length === 0 || words.some((word) => nameOf(one).includes(word)));
  if (chosen.length === 0) throw new UsageError(`No ${kind} is named like ${words.join(', ')}`);
  return chosen;
}
