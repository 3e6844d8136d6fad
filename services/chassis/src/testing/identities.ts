/** Keys of an installation under test, the same in every process of it. */
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { accessTo, PROCESSES, type Process } from '@audiosplit/proto/callers';
import type { Clock } from '../clock.ts';
import { createSigningInterceptor } from '../identity/authorization.ts';
import type { IdentityKeys, PublicKeys } from '../identity/keys.ts';
import { type Caller, createSigningCaller } from '../rpc/client.ts';

/** Of an Ed25519 key in PKCS #8, in front of its 32 bytes (RFC 8410, section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const PRIVATE_KEYS = new Map(PROCESSES.map((process) => [process, privateKeyOf(process)]));
const PUBLIC_KEYS: PublicKeys = new Map(
  Array.from(PRIVATE_KEYS, ([process, der]) => [
    process,
    [createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))],
  ]),
);

export function testKeysOf(process: Process): IdentityKeys {
  return { process, privateKey: privateKeyOf(process).toString('base64'), publicKeys: PUBLIC_KEYS };
}

function privateKeyOf(process: Process): Buffer {
  return Buffer.concat([PKCS8_PREFIX, createHash('sha256').update(process).digest()]);
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
  const lines = Array.from(PUBLIC_KEYS, ([name, keys]) =>
    keys.map((key) => `${name} ${key.export({ format: 'der', type: 'spki' }).toString('base64')}`),
  );
  return {
    IDENTITY_PRIVATE_KEY: privateKeyOf(process).toString('base64'),
    IDENTITY_PUBLIC_KEYS: lines.flat().join('\n'),
  };
}
