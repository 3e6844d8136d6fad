/** Keys of an installation under test: a pair for each process, made once for a run. */

import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import { type IdentityKeys, makeKeyPair, readPublicKeys } from '../identity/keys.ts';
import { testKeysOf } from './identities.ts';

const PAIRS = new Map(PROCESSES.map((process) => [process, makeKeyPair()]));
const PUBLIC_KEYS = readPublicKeys(
  Array.from(PAIRS, ([process, { publicKey }]) => `${process} ${publicKey}`).join('\n'),
);

export function testKeysOf(process: Process): IdentityKeys {
  const pair = PAIRS.get(process);
  if (pair === undefined) throw new Error(`${process} has no keys`);
  return { process, privateKey: pair.privateKey, publicKeys: PUBLIC_KEYS };
}
