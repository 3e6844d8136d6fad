import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { keptIdentities, makeIdentities } from '@audiosplit/chassis/identity/identity-environment';
import { withVariables, writeSecretsFile } from '@audiosplit/chassis/secrets/secrets-file';
import { ProvisionError } from '../../provision/provision-error.ts';

const NAMES = [
  ...['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET'],
  ...['POSTGRES_PASSWORD', 'STORAGE_SECRET_KEY'],
] as const;

/**
 * Made once, readable for the owner only; what the file of a former release lacks is added. Throws ProvisionError where
 * data is there already that other secrets belong to, as after a second clone.
 */
export async function ensureSecrets(path: string, hasData: () => Promise<boolean>): Promise<void> {
  const isKept = existsSync(path);
  if (!isKept && (await hasData())) {
    throw new ProvisionError(
      `Docker holds the data of an installation whose secrets are not here. Copy its ${basename(path)} to ${path}, ` +
        'or give up the data: npm run compose -- down --volumes',
    );
  }
  const text = isKept ? await readFile(path, 'utf8') : '';
  const kept = parseEnv(text);
  // Hexadecimal: the password stands in a URL.
  const missing = NAMES.filter((name) => !kept[name]).map((name) => [name, randomBytes(32).toString('hex')]);
  const added = {
    ...Object.fromEntries(missing),
    ...(keptIdentities(kept) === undefined ? makeIdentities() : {}),
  };
  if (Object.keys(added).length > 0) await writeSecretsFile(path, withVariables(text, added));
}
