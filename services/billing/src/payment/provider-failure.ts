import { UnavailableError } from '@audiosplit/chassis/errors';
import { PaymentFailedError } from '../errors.ts';
import { PaymentDeclinedError, ProviderFaultError } from './payment-provider.ts';

/**
 * What a failed call to the provider is to whoever asked: a refusal, something to try again, or, left as it is, a fault
 * of ours, which is logged whole and answered with nothing but `internal`.
 */
export function toCallError(error: unknown): Error {
  if (error instanceof PaymentDeclinedError) return new PaymentFailedError(error.publicMessage);
  return error instanceof ProviderFaultError ? error : new UnavailableError(error);
}
