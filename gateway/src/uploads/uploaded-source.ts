import { decodePath, verifyLink } from '@audiosplit/chassis/secrets/signed-url';
import { isBucketAddress } from '@audiosplit/proto/bucket-address';
import type { LinkOptions } from '../downloads/download-links.ts';
import type { ApiError } from '../http/errors/api-error.ts';
import { invalidParams } from '../http/input/validation.ts';
import { UPLOAD_PREFIX, uploadPathOf } from './upload-links.ts';

/**
 * The key of the upload that a source address links to; undefined for any other address. A link with a valid signature is
 * recognised under any address, because the public address may have changed since. Throws INVALID_PARAMS for a link that
 * is forged, expired, or to an upload of another account.
 */
export function uploadKeyOf(
  sourceUrl: string,
  accountId: string,
  { publicBaseUrl, secret, clock }: LinkOptions,
): string | undefined {
  if (isBucketAddress(sourceUrl)) return undefined;
  const url = URL.parse(sourceUrl);
  // Characters that need no escape may be escaped all the same.
  if (url === null || !(decodePath(url.pathname) ?? url.pathname).startsWith(UPLOAD_PREFIX)) return undefined;
  const verdict = verifyLink('GET', sourceUrl, clock(), secret);
  switch (verdict.status) {
    case 'valid':
      if (!verdict.path.startsWith(uploadPathOf(accountId)))
        throw refused('is a link to a file of another account.');
      return verdict.path.slice(1);
    case 'expired':
      throw refused('The upload link has expired: upload the file again.');
    case 'forged':
      if (url.origin !== URL.parse(publicBaseUrl())?.origin) return undefined;
      throw refused('The upload link is not one that was given out.');
    default:
      return verdict satisfies never;
  }
}

function refused(message: string): ApiError {
  return invalidParams([{ field: 'sourceUrl', message }]);
}
