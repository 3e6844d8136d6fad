import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseEnv } from 'node:util';
import { keptIdentities, makeIdentities } from '@audiosplit/chassis/identity/identity-environment';
import { withVariables, writeSecretsFile } from '@audiosplit/chassis/secrets/secrets-file';
import { DATA_SERVICES, ENGINE_USERS, usesKafka } from '../../engines/access.ts';
import { storageUsers } from '../../engines/storage-access.ts';
import { ProvisionError } from '../../provision/provision-error.ts';

const passwords = (engine: string, users: readonly string[]) =>
  users.map((user) => `${user.toUpperCase()}_${engine}_PASSWORD`);

/** Passwords of administrators, then of each process at each engine. */
const PASSWORDS = [
  ...['POSTGRES_PASSWORD', 'KAFKA_PASSWORD', 'REDIS_PASSWORD', 'STORAGE_SECRET_KEY'],
  ...passwords('DATABASE', DATA_SERVICES),
  ...passwords('KAFKA', ENGINE_USERS.filter(usesKafka)),
  ...passwords('STORAGE', storageUsers()),
  ...passwords('REDIS', ['gateway']),
];
const NAMES = ['AUTH_SECRET', 'WEBHOOKS_SECRET', 'DOWNLOAD_SECRET', ...PASSWORDS];

/**
 * Creates the secrets once, readable for their owner only, and adds those that the file of a former release
 * lacks. Throws ProvisionError if there already is data that belongs to other secrets, as after a second
 * clone.
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
  // Hexadecimal, because the password is part of a URL.
  const missing = NAMES.filter((name) => !kept[name]).map((name) => [name, randomBytes(32).toString('hex')]);
  const added = {
    ...Object.fromEntries(missing),
    ...(keptIdentities(kept) === undefined ? makeIdentities() : {}),
  };
  if (Object.keys(added).length > 0) await writeSecretsFile(path, withVariables(text, added));
}
