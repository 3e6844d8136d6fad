/** Invalid arguments; the message says which are valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The items whose name contains one of the words; all if no word is given. Throws UsageError if none is left.
 */
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
