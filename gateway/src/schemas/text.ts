import type { FieldViolation } from '@audiosplit/chassis/errors';

/**
 * For text without another rule, as JSON Schema. It cannot express an unpaired surrogate, which is not valid JSON
 * either.
 */
export const STORABLE_TEXT = '^[^\\u0000]*$';

const MESSAGE = 'must not hold the character U+0000, nor half a surrogate pair';

/**
 * Finds text that cannot be stored, at any depth: Postgres does not allow U+0000, and UTF-8 has no unpaired surrogates.
 * Iterative, because a body may be nested deeper than the stack.
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
