import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';

const NAMES = [
  ...['INTERNAL_SECRET', 'AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'],
  ...['POSTGRES_PASSWORD', 'STORAGE_SECRET_KEY'],
] as const;

/** Made once, readable for nobody else; resolves with the path. */
export async function ensureSecrets(path: string): Promise<string> {
  if (!existsSync(path)) {
    // Hexadecimal: the password stands in a URL.
    const lines = NAMES.map((name) => `${name}=${randomBytes(32).toString('hex')}\n`);
    await writeFile(path, lines.join(''), { mode: 0o600, flag: 'wx' });
  }
  return path;
}
