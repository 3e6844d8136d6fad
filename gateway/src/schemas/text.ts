import type { FieldViolation } from '@audiosplit/chassis/errors';

/** As JSON Schema, for what takes any other text. Half a surrogate pair cannot be said there: it is not JSON's either. */
export const STORABLE_TEXT = '^[^\\u0000]*$';

const MESSAGE = 'must not hold the character U+0000, nor half a surrogate pair';

/**
 * The members of a request that hold text which nothing can keep, be it in a name or deep within: Postgres has no U+0000,
 * and UTF-8 no half of a surrogate pair, which would become something else on its way. Without recursion: a body may be
 * nested deeper than the stack.
 */
export function unstorableText(request: unknown): FieldViolation[] {
  if (typeof request !== 'object' || request === null) {
    return isStorable(request) ? [] : [{ field: 'body', message: MESSAGE }];
  }
  return Object.entries(request)
    .filter(([name, member]) => !isStorable(name) || holdsUnstorable(member))
    .map(([name]) => ({ field: isStorable(name) ? name : 'body', message: MESSAGE }));
}

function holdsUnstorable(member: unknown): boolean {
  const left = [member];
  while (left.length > 0) {
    const value = left.pop();
    if (!isStorable(value)) return true;
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && !Object.keys(value).every(isStorable)) return true;
    for (const each of Object.values(value)) left.push(each);
  }
  return false;
}

function isStorable(value: unknown): boolean {
  return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
}
