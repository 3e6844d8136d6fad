import { type LinkMethod, type LinkVerdict, verifyLink } from '@audiosplit/chassis/secrets/signed-url';
import { ApiError } from '../http/errors/api-error.ts';
import type { ErrorCode } from '../http/errors/error-codes.ts';
import type { LinkOptions } from './download-links.ts';

/** Verifies a signed link and returns what it permits. Throws INVALID_SIGNATURE, or `expiredCode` if it has expired. */
export function admitLink(
  method: LinkMethod,
  url: string,
  { secret, clock }: LinkOptions,
  expiredCode: ErrorCode,
): Extract<LinkVerdict, { status: 'valid' }> {
  const verdict = verifyLink(method, url, clock(), secret);
  switch (verdict.status) {
    case 'valid':
      return verdict;
    case 'expired':
      throw new ApiError(expiredCode, 'This link has expired; request a new one.');
    case 'forged':
      throw new ApiError('INVALID_SIGNATURE', 'This link was not signed by us, or has been altered.');
    default:
      return verdict satisfies never;
  }
}
