import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ProvisionError } from '../../provision/provision-error.ts';

const NAMES = [
  ...['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'],
  ...['POSTGRES_PASSWORD', 'STORAGE_SECRET_KEY'],
] as const;

/**
 * Made once, readable for the owner only. Throws ProvisionError where data is there already that other secrets belong to, as
 * after a second clone.
 */
export async function ensureSecrets(path: string, hasData: () => Promise<boolean>): Promise<void> {
  if (existsSync(path)) return;
  if (await hasData()) {
    throw new ProvisionError(
      `Docker holds the data of an installation whose secrets are not here. Copy its ${basename(path)} to ${path}, ` +
        'or give up the data: npm run compose -- down --volumes',
    );
  }
  // Hexadecimal: the password stands in a URL.
  const lines = NAMES.map((name) => `${name}=${randomBytes(32).toString('hex')}\n`);
  await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' });
}
