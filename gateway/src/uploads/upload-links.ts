import { newId } from '@audiosplit/chassis/ids';
import { signLink } from '@audiosplit/chassis/signed-url';
import { type LinkOptions, linkExpiry } from '../downloads/download-links.ts';

export const UPLOAD_PREFIX = '/uploads/';

export interface UploadLinks {
  readonly uploadUrl: string;
  /** Its path, without the leading slash, is the key under which the file is stored. */
  readonly sourceUrl: string;
  readonly expiresAt: string;
}

/** A place for one file of an account: a link that takes up to `maxBytes`, and one that gives them back. */
export function createUploadLinks(
  options: LinkOptions,
  upload: { readonly accountId: string; readonly maxBytes: number; readonly fileName: string | undefined },
): UploadLinks {
  const now = options.clock();
  const expiresAt = linkExpiry(now);
  const segments = [upload.accountId, newId('upl', now), upload.fileName].filter(
    (part) => part !== undefined,
  );
  const path = UPLOAD_PREFIX + segments.join('/');
  const params = { maxBytes: String(upload.maxBytes) };
  return {
    uploadUrl: options.publicBaseUrl() + signLink({ method: 'PUT', path, params }, expiresAt, options.secret),
    sourceUrl: options.publicBaseUrl() + signLink({ method: 'GET', path }, expiresAt, options.secret),
    expiresAt: expiresAt.toISOString(),
  };
}
