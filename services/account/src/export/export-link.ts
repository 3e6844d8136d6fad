import { signLink } from '@audiosplit/chassis/secrets/signed-url';
import type { DownloadConfig } from '../config.ts';

/** Makes a link to the file that works without signing in, until `expiresAt`. */
export type ExportLink = (objectKey: string, expiresAt: Date) => string;

/** The gateway serves it, and checks the signature with the same secret. */
const DOWNLOAD_PREFIX = '/downloads/';

export function createExportLink({ publicBaseUrl, secret }: DownloadConfig): ExportLink {
  return (objectKey, expiresAt) => {
    const name = objectKey.slice(objectKey.lastIndexOf('/') + 1);
    const target = { method: 'GET', path: DOWNLOAD_PREFIX + objectKey, params: { name } } as const;
    return publicBaseUrl + signLink(target, expiresAt, secret);
  };
}
