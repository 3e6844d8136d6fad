import { UnavailableError } from '@audiosplit/chassis/errors';
import { PaymentFailedError } from '../errors.ts';
import { PaymentDeclinedError, ProviderFaultError } from './payment-provider.ts';

/**
 * Maps a failed call to the provider to the caller's error: PaymentFailedError for a decline, UnavailableError if a
 * retry may succeed. A ProviderFaultError stays as it is: it is logged, and the caller only gets `internal`.
 */
export function toCallError(error: unknown): Error {
  if (error instanceof PaymentDeclinedError) return new PaymentFailedError(error.publicMessage);
  return error instanceof ProviderFaultError ? error : new UnavailableError(error);
}
