import { signLink } from '@audiosplit/chassis/secrets/signed-url';
import { type LinkOptions, linkExpiry } from '../../downloads/download-links.ts';
import { admitLink } from '../../downloads/link-access.ts';
import { UPLOAD_PREFIX, type UploadLinks, uploadPathOf } from '../upload-links.ts';

/**
 * Not below the path of the API, whose limits do not apply to signed links. `tus` is in the place of an
 * account's id, which it cannot be.
 */
export const TUS_PATH = '/uploads/tus';

/** The contents of an upload's signed link. */
export interface UploadTarget {
  readonly accountId: string;
  readonly uploadId: string;
  /** The object of the complete file. */
  readonly objectKey: string;
  readonly sizeBytes: number;
  readonly reservedAt: Date;
  readonly expiresAt: Date;
  readonly sourceUrl: string;
}

/** The links of a reserved upload: one to send the file in parts, by tus, and one to read the file. */
export function createResumableLinks(
  options: LinkOptions,
  upload: {
    readonly accountId: string;
    readonly uploadId: string;
    readonly fileName: string;
    readonly sizeBytes: number;
    readonly reservedAt: Date;
  },
): UploadLinks {
  const { accountId, uploadId, fileName, sizeBytes } = upload;
  const reservedAtMs = upload.reservedAt.getTime();
  const params = { size: String(sizeBytes), reserved: String(reservedAtMs) };
  const target = {
    method: 'PATCH' as const,
    path: `${TUS_PATH}/${accountId}/${uploadId}/${fileName}`,
    params,
  };
  const expiresAt = linkExpiry(upload.reservedAt);
  return {
    uploadUrl: options.publicBaseUrl() + signLink(target, expiresAt, options.secret),
    sourceUrl: sourceUrlOf(options, `${uploadPathOf(accountId)}${uploadId}/${fileName}`, expiresAt),
    expiresAt: expiresAt.toISOString(),
  };
}

/** Throws INVALID_SIGNATURE and UPLOAD_EXPIRED. */
export function admitResumableUpload(url: string, options: LinkOptions): UploadTarget {
  const { path, params } = admitLink('PATCH', url, options, 'UPLOAD_EXPIRED');
  const objectPath = UPLOAD_PREFIX + path.slice(TUS_PATH.length + 1);
  const [accountId = '', uploadId = ''] = path.slice(TUS_PATH.length + 1).split('/');
  const reservedAt = new Date(Number(params.reserved));
  const expiresAt = linkExpiry(reservedAt);
  return {
    accountId,
    uploadId,
    objectKey: objectPath.slice(1),
    sizeBytes: Number(params.size),
    reservedAt,
    expiresAt,
    sourceUrl: sourceUrlOf(options, objectPath, expiresAt),
  };
}

function sourceUrlOf({ publicBaseUrl, secret }: LinkOptions, path: string, expiresAt: Date): string {
  return publicBaseUrl() + signLink({ method: 'GET', path }, expiresAt, secret);
}
