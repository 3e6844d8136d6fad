/**
 * The key pair with which a process signs its calls, and the public keys of all processes.
 *
 * A process may temporarily have two pairs: it signs with the first, and the others accept both. Keys can
 * thus be rotated without a refused call: first add the new public key everywhere, then put the new private
 * key first, then remove the former ones.
 */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from 'node:crypto';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { ConfigError, type Env } from '../process/env.ts';
import { parsed, readSettings } from '../process/settings.ts';
import { secretValues } from '../secrets/secret-values.ts';
import { INTERNAL_SECRET } from './former-identity.ts';

export interface IdentityKeys {
  readonly process: Process;
  /** PKCS #8 in Base64, a line each. */
  readonly privateKey: string;
  readonly publicKeys: PublicKeys;
  /** INTERNAL_SECRET, set where processes of the former release may run. */
  readonly formerSecret?: string | undefined;
}

export type PublicKeys = ReadonlyMap<Process, readonly KeyObject[]>;

const ALGORITHM = 'ed25519';

const IDENTITY_PRIVATE_KEY = parsed(
  {
    what:
      'Ed25519 key with which this process signs its calls (PKCS #8, Base64), a line each while it changes; also ' +
      'encrypts its stored responses of idempotent calls, the source headers of unfinished jobs and the secrets of connections',
    isSecret: true,
    chart: 'identities.existingSecret',
    isRequired: true,
  },
  {
    allowed: 'an Ed25519 private key in PKCS #8, as Base64',
    parse(value) {
      for (const each of secretValues(value)) readPrivateKey(each);
      return value;
    },
  },
);

const IDENTITY_PUBLIC_KEYS = parsed(
  {
    what: 'public keys of all processes, a line each: the process, a space, the key (SubjectPublicKeyInfo or certificate, Base64)',
    mayBeFile: true,
    chart: 'identities.existingSecret',
    isRequired: true,
  },
  {
    allowed: `lines of one of ${PROCESSES.join(', ')}, and an Ed25519 public key as Base64`,
    parse: readPublicKeys,
  },
);

export const IDENTITY_SETTINGS = { IDENTITY_PRIVATE_KEY, IDENTITY_PUBLIC_KEYS, INTERNAL_SECRET };

/** Throws ConfigError. */
export function readIdentityKeys(env: Env, process: Process): IdentityKeys {
  const values = readSettings(IDENTITY_SETTINGS, env);
  const { IDENTITY_PRIVATE_KEY: privateKey, IDENTITY_PUBLIC_KEYS: publicKeys } = values;
  const problem = problemOf(process, createPublicKey(readPrivateKey(privateKey)), publicKeys);
  if (problem !== undefined) throw new ConfigError('IDENTITY_PUBLIC_KEYS', '…', problem);
  return {
    process,
    privateKey,
    publicKeys,
    formerSecret: values.INTERNAL_SECRET,
  };
}

/** Without this check a process would start and be refused by all others. */
function problemOf(process: Process, own: KeyObject, publicKeys: PublicKeys): string | undefined {
  const missing = PROCESSES.find((each) => publicKeys.get(each) === undefined);
  if (missing !== undefined) return `a line for each process, and ${missing} has none`;
  const holders = PROCESSES.filter((each) => publicKeys.get(each)?.some((key) => key.equals(own)));
  if (!holders.includes(process)) return `the public half of the private key of ${process} among its lines`;
  return holders.length > 1
    ? `a key of its own for each process, not one for ${holders.join(' and ')}`
    : undefined;
}

/** Encrypts stored responses of idempotent calls. The former release encrypted them under INTERNAL_SECRET. */
export function responseSecretOf({ privateKey, formerSecret }: IdentityKeys): string {
  return formerSecret === undefined ? privateKey : `${privateKey}\n${formerSecret}`;
}

/** Reads the key of the first line. Throws if it is invalid. */
export function readPrivateKey(text: string): KeyObject {
  const [first] = secretValues(text);
  const key = createPrivateKey({ key: Buffer.from(first, 'base64'), format: 'der', type: 'pkcs8' });
  return ofAlgorithm(key);
}

/** Throws on an invalid line. */
export function readPublicKeys(text: string): PublicKeys {
  const keys = new Map<Process, KeyObject[]>();
  for (const line of secretValues(text.trim())) {
    const [name, encoded = ''] = line.split(/\s+/);
    const process = PROCESSES.find((each) => each === name);
    if (process === undefined) throw new Error(`there is no process ${name}`);
    keys.set(process, [...(keys.get(process) ?? []), readPublicKey(Buffer.from(encoded, 'base64'))]);
  }
  return keys;
}

function readPublicKey(der: Buffer): KeyObject {
  return ofAlgorithm(parsePublicKey(der));
}

function parsePublicKey(der: Buffer): KeyObject {
  try {
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return new X509Certificate(der).publicKey;
  }
}

function ofAlgorithm(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== ALGORITHM) throw new Error(`a key of ${key.asymmetricKeyType}`);
  return key;
}

/** PKCS #8 and SubjectPublicKeyInfo, in Base64. */
export interface KeyPair {
  readonly privateKey: string;
  readonly publicKey: string;
}

/** The value of IDENTITY_PUBLIC_KEYS. */
export function formatPublicKeys(pairs: Readonly<Record<Process, KeyPair>>): string {
  return PROCESSES.map((process) => `${process} ${pairs[process].publicKey}`).join('\n');
}

export function makeKeyPair(): KeyPair {
  const pair = generateKeyPairSync(ALGORITHM);
  return {
    privateKey: pair.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
    publicKey: pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}
