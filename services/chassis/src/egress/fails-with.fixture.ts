import { EgressError, type EgressFailure } from './egress.ts';

/** For assert.rejects. */
export function failsWith(failure: EgressFailure): (error: unknown) => boolean {
  return (error) => error instanceof EgressError && error.failure === failure;
}
