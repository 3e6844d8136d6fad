/**
 * Rotates the identity keys of all processes of an installation in three steps, with a restart of all
 * processes after each: `add`, all accept the new keys; `use`, each signs with its new key; `remove`, the
 * former keys are no longer accepted. No call is refused meanwhile, because each step only depends on keys
 * that all processes have received in the step before.
 *
 * The public keys of a process are sorted by age, and its private keys start with the one that signs. The
 * next step follows from this order, so repeating a step changes nothing.
 */
import { createPublicKey } from 'node:crypto';
import {
  type IdentityEnvironment,
  makeIdentities,
  privateKeyVariable,
} from '@audiosplit/chassis/identity/identity-environment';
import { readPrivateKey, readPublicKeys } from '@audiosplit/chassis/identity/keys';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { secretValues } from '@audiosplit/chassis/secrets/secret-values';
import { PROCESSES } from '@audiosplit/proto/callers';

export const STEPS = ['add', 'use', 'remove'] as const;
export type Step = (typeof STEPS)[number];

/** Throws StartError if another step is next. */
export function rotateKeys(present: IdentityEnvironment, step: Step): IdentityEnvironment {
  const next = nextStep(present);
  if (step !== next) throw new StartError(`the next step is ${next}, not ${step}: nothing is changed`);
  switch (step) {
    case 'add': {
      const added = makeIdentities();
      return {
        ...changePrivateKeys(present, ([key], name) => [key, added[name]]),
        IDENTITY_PUBLIC_KEYS: `${present.IDENTITY_PUBLIC_KEYS.trim()}\n${added.IDENTITY_PUBLIC_KEYS}`,
      };
    }
    case 'use':
      return { ...present, ...changePrivateKeys(present, ([former, next]) => [next, former]) };
    case 'remove': {
      const lines = secretValues(present.IDENTITY_PUBLIC_KEYS.trim());
      const newest = PROCESSES.map((process) => lines.findLast((line) => line.split(/\s+/)[0] === process));
      return {
        ...changePrivateKeys(present, ([key]) => [key]),
        IDENTITY_PUBLIC_KEYS: newest.join('\n'),
      };
    }
    default:
      return step satisfies never;
  }
}

function nextStep(present: IdentityEnvironment): Step {
  const publicKeys = readPublicKeys(present.IDENTITY_PUBLIC_KEYS);
  const steps = PROCESSES.map((process) => {
    const privateKeys = present[privateKeyVariable(process)];
    if (secretValues(privateKeys.trim()).length === 1) return 'add';
    const [oldest] = publicKeys.get(process) ?? [];
    return oldest?.equals(createPublicKey(readPrivateKey(privateKeys))) === true ? 'use' : 'remove';
  });
  const [next = 'add', ...others] = new Set<Step>(steps);
  if (others.length > 0) throw new StartError('the processes are at different steps: nothing is changed');
  return next;
}

type PrivateKeys = Omit<IdentityEnvironment, 'IDENTITY_PUBLIC_KEYS'>;

function changePrivateKeys(
  present: IdentityEnvironment,
  change: (keys: readonly string[], name: keyof PrivateKeys) => readonly (string | undefined)[],
): PrivateKeys {
  const changed = PROCESSES.map((process) => {
    const name = privateKeyVariable(process);
    return [name, change(secretValues(present[name].trim()), name).join('\n')];
  });
  return Object.fromEntries(changed);
}
