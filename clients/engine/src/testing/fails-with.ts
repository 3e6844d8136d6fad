import { MediaError } from '../media-error.ts';

/** For assert.rejects and assert.throws. */
export function failsWith(failure: MediaError['failure']): (error: unknown) => boolean {
  return (error) => error instanceof MediaError && error.failure === failure;
}
