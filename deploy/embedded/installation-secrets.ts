import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  formatPublicKeys,
  type IdentityKeys,
  type KeyPair,
  makeKeyPair,
  readPublicKeys,
} from '@audiosplit/chassis/identity/keys';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';

const NAMES = ['authSecret', 'databaseSecret', 'downloadSecret', 'operatorSecret'] as const;

/**
 * Secrets that an operator would provide; the embedded run makes them once and keeps them. The services' logins to the
 * database follow from `databaseSecret`. `operatorSecret` belongs to the single operator of a local installation.
 */
export interface InstallationSecrets extends Readonly<Record<(typeof NAMES)[number], string>> {
  readonly identities: Readonly<Record<Process, KeyPair>>;
  /** Of a folder of the former release: responses that it has stored are encrypted with it. */
  readonly internalSecret?: string;
}

export async function readOrMakeSecrets(dataDir: string): Promise<InstallationSecrets> {
  const path = join(dataDir, 'secrets.json');
  const json = existsSync(path) ? await readFile(path, 'utf8') : '{}';
  const kept = JSON.parse(json) as Partial<InstallationSecrets>;
  const texts = NAMES.map((name) => [name, kept[name] ?? randomBytes(32).toString('base64url')]);
  const pairs = PROCESSES.map((process) => [process, kept.identities?.[process] ?? makeKeyPair()]);
  const secrets = {
    ...kept,
    ...Object.fromEntries(texts),
    identities: Object.fromEntries(pairs),
  } as InstallationSecrets;
  if (JSON.stringify(secrets) !== JSON.stringify(kept)) {
    await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
  return secrets;
}

export function keysOf(
  { identities, internalSecret }: Pick<InstallationSecrets, 'identities' | 'internalSecret'>,
  process: Process,
): IdentityKeys {
  return {
    process,
    privateKey: identities[process].privateKey,
    publicKeys: readPublicKeys(formatPublicKeys(identities)),
    formerSecret: internalSecret,
  };
}
