import type { Clock } from '@audiosplit/chassis/clock';
import { signLink } from '@audiosplit/chassis/secrets/signed-url';

/** Lifetime of a link to a stored file, from the read that returned it. */
const LINK_LIFETIME_MS = 24 * 3_600_000;
export const DOWNLOAD_PREFIX = '/downloads/';

export interface LinkOptions {
  readonly publicBaseUrl: () => string;
  readonly secret: string;
  readonly clock: Clock;
}

interface DownloadLink {
  readonly url: string;
  readonly expiresAt: string;
}

export interface DownloadLinks {
  /** Signs links that expire in 24 hours, or at `endsAt` if that is sooner. */
  signer(endsAt?: Date): (objectKey: string, fileName: string) => DownloadLink;
}

export function createDownloadLinks({ publicBaseUrl, secret, clock }: LinkOptions): DownloadLinks {
  return {
    signer(endsAt) {
      const expiresAt = linkExpiry(clock(), endsAt);
      return (objectKey, fileName) => ({
        url:
          publicBaseUrl() +
          signLink(
            { method: 'GET', path: DOWNLOAD_PREFIX + objectKey, params: { name: fileName } },
            expiresAt,
            secret,
          ),
        expiresAt: expiresAt.toISOString(),
      });
    },
  };
}

/** Rounded to whole seconds, as in the link itself. */
export function linkExpiry(now: Date, endsAt?: Date): Date {
  const latestMs = now.getTime() + LINK_LIFETIME_MS;
  const expiryMs = endsAt === undefined ? latestMs : Math.min(latestMs, endsAt.getTime());
  return new Date(Math.floor(expiryMs / 1000) * 1000);
}
