import { signLink } from '@audiosplit/chassis/secrets/signed-url';
import { type LinkOptions, linkExpiry } from '../downloads/download-links.ts';

export const UPLOAD_PREFIX = '/uploads/';

export interface UploadLinks {
  readonly uploadUrl: string;
  /** Its path, without the leading slash, is the key of the stored file. */
  readonly sourceUrl: string;
  readonly expiresAt: string;
}

/**
 * The links of a reserved place: one to send a file of up to `maxBytes`, one to read it. The same reservation gives the
 * same links.
 */
export function createUploadLinks(
  options: LinkOptions,
  upload: {
    readonly accountId: string;
    readonly uploadId: string;
    readonly reservedAt: Date;
    readonly maxBytes: number;
    /** As announced. */
    readonly size: number | undefined;
    readonly fileName: string | undefined;
  },
): UploadLinks {
  const expiresAt = linkExpiry(upload.reservedAt);
  const path =
    uploadPathOf(upload.accountId) +
    [upload.uploadId, upload.fileName].filter((part) => part !== undefined).join('/');
  const params = {
    maxBytes: String(upload.maxBytes),
    ...(upload.size === undefined ? {} : { size: String(upload.size) }),
  };
  return {
    uploadUrl: options.publicBaseUrl() + signLink({ method: 'PUT', path, params }, expiresAt, options.secret),
    sourceUrl: options.publicBaseUrl() + signLink({ method: 'GET', path }, expiresAt, options.secret),
    expiresAt: expiresAt.toISOString(),
  };
}

/** All uploads of the account lie below it. */
export function uploadPathOf(accountId: string): string {
  return `${UPLOAD_PREFIX}${accountId}/`;
}
