/** Keys of an installation under test, the same in every process of it. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { accessTo, PROCESSES, type Process } from '@audiosplit/proto/callers';
import type { Clock } from '../clock.ts';
import { createSigningInterceptor } from '../identity/authorization.ts';
import { formatPublicKeys, type IdentityKeys, type KeyPair, readPublicKeys } from '../identity/keys.ts';
import { type Caller, createSigningCaller } from '../rpc/client.ts';

/** Of an Ed25519 key in PKCS #8, in front of its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

export const TEST_IDENTITIES = Object.fromEntries(
  PROCESSES.map((process) => [process, keyPairOf(process)]),
) as Readonly<Record<Process, KeyPair>>;
const PUBLIC_KEYS = readPublicKeys(formatPublicKeys(TEST_IDENTITIES));

export function testKeysOf(process: Process): IdentityKeys {
  return { process, privateKey: TEST_IDENTITIES[process].privateKey, publicKeys: PUBLIC_KEYS };
}

function keyPairOf(process: Process): KeyPair {
  const der = Buffer.concat([PKCS8_PREFIX, createHash('sha256').update(process).digest()]);
  const publicKey = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  return {
    privateKey: der.toString('base64'),
    publicKey: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}

/** Calls each method as a process that may call it. */
export function createPermittedCaller(clock: Clock): Caller {
  const interceptors = new Map(
    PROCESSES.map((process) => [process, createSigningInterceptor(testKeysOf(process), clock)]),
  );
  return createSigningCaller((next) => (request) => {
    const [process = 'gateway'] = accessTo(request.method)?.by ?? [];
    const sign = interceptors.get(process);
    return sign === undefined ? next(request) : sign(next)(request);
  });
}

/** The settings of the same. */
export function testIdentityEnv(
  process: Process,
): Record<'IDENTITY_PRIVATE_KEY' | 'IDENTITY_PUBLIC_KEYS', string> {
  return {
    IDENTITY_PRIVATE_KEY: TEST_IDENTITIES[process].privateKey,
    IDENTITY_PUBLIC_KEYS: formatPublicKeys(TEST_IDENTITIES),
  };
}
