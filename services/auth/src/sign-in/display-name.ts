import { InvalidParamsError } from '@audiosplit/chassis/errors';

export const MAX_NAME_LENGTH = 255;

/** At most 255 characters, without control characters. */
export function isDisplayName(name: string): boolean {
  return [...name].length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(name);
}

/** Throws InvalidParamsError. */
export function checkAccountName(name: string): void {
  if (!isDisplayName(name)) {
    throw new InvalidParamsError(
      'name',
      `use at most ${MAX_NAME_LENGTH} characters, without control characters.`,
    );
  }
}
