import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  environmentOfProcess,
  type IdentityEnvironment,
  keptIdentities,
  makeIdentities,
} from '@audiosplit/chassis/identity/identity-environment';
import { type IdentityKeys, readIdentityKeys } from '@audiosplit/chassis/identity/keys';
import { writeSecretsFile } from '@audiosplit/chassis/secrets/secrets-file';
import type { Process } from '@audiosplit/proto/callers';

const NAMES = ['authSecret', 'databaseSecret', 'downloadSecret', 'operatorSecret'] as const;

/**
 * Secrets that an operator would provide; the embedded run generates and stores them once. The services'
 * database logins are derived from `databaseSecret`. `operatorSecret` belongs to the single operator of a
 * local installation.
 */
export interface InstallationSecrets extends Readonly<Record<(typeof NAMES)[number], string>> {
  readonly identities: IdentityEnvironment;
  /** Present in a folder of the former release: its stored responses are encrypted with it. */
  readonly internalSecret?: string;
}

/** Reads the present values: `npm run operate -- rotate-keys` changes them. */
export function readSecrets(dataDir: string): InstallationSecrets {
  return JSON.parse(readFileSync(secretsFile(dataDir), 'utf8'));
}

export async function readOrMakeSecrets(dataDir: string): Promise<InstallationSecrets> {
  const path = secretsFile(dataDir);
  const kept: Partial<InstallationSecrets> = existsSync(path) ? readSecrets(dataDir) : {};
  const texts = NAMES.map((name) => [name, kept[name] ?? randomBytes(32).toString('base64url')]);
  const secrets = {
    ...kept,
    ...Object.fromEntries(texts),
    identities: keptIdentities(kept.identities ?? {}) ?? makeIdentities(),
  } as InstallationSecrets;
  if (JSON.stringify(secrets) !== JSON.stringify(kept)) {
    await writeSecretsFile(path, `${JSON.stringify(secrets, null, 2)}\n`);
  }
  return secrets;
}

export function keysOf(
  { identities, internalSecret }: Pick<InstallationSecrets, 'identities' | 'internalSecret'>,
  process: Process,
): IdentityKeys {
  const env = { ...environmentOfProcess(identities, process), INTERNAL_SECRET: internalSecret };
  return readIdentityKeys(env, process);
}

function secretsFile(dataDir: string): string {
  return join(dataDir, 'secrets.json');
}
