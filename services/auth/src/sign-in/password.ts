/**
 * Password validation and hashing with argon2id. A hash stores its own costs. After a change of the configured costs,
 * each account is rehashed at its next sign-in.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { PasswordHashing } from '../config.ts';
import { createHashingTurns } from './hashing-turns.ts';

/** `clientIp`: whose turn it is (hashing-turns.ts). */
export interface PasswordHasher {
  hash(password: string, clientIp: string): Promise<string>;
  /** Without a hash (an unknown address) it takes the same time and returns false. */
  verify(passwordHash: string | undefined, password: string, clientIp: string): Promise<boolean>;
  /** Whether the hash has other costs than the configured ones. */
  isOutdated(passwordHash: string): boolean;
  /** Passwords that are hashed now. */
  inFlight(): number;
}

const MIN_LENGTH = 12;
const MAX_LENGTH = 128;

/** Throws InvalidParamsError. A character is a Unicode code point, as NIST SP 800-63B counts. */
export function checkNewPassword(password: string): void {
  const length = [...password].length;
  if (length < MIN_LENGTH || length > MAX_LENGTH) {
    throw new InvalidParamsError('password', `use ${MIN_LENGTH} to ${MAX_LENGTH} characters.`);
  }
}

export async function createPasswordHasher(costs: PasswordHashing): Promise<PasswordHasher> {
  const turns = createHashingTurns(costs.concurrency);
  // The library's default algorithm is argon2id, 32 bytes long, with 16 random bytes of salt.
  const options = { memoryCost: costs.memoryKib, timeCost: costs.iterations, parallelism: 1 };
  const hashNormalised = (password: string) => hash(normalise(password), options);
  const dummyHash = await hashNormalised(crypto.randomUUID());
  return {
    hash: (password, clientIp) => turns.take(clientIp, () => hashNormalised(password)),
    async verify(passwordHash, password, clientIp) {
      const matches = await turns.take(clientIp, () =>
        verify(passwordHash ?? dummyHash, normalise(password)),
      );
      return matches && passwordHash !== undefined;
    },
    inFlight: turns.taken,
    isOutdated(passwordHash) {
      const made = parseOptions(passwordHash);
      return made.memoryCost !== options.memoryCost || made.timeCost !== options.timeCost;
    },
  };
}

/**
 * Another keyboard may compose the same password differently (NIST SP 800-63B, 5.1.1.2). Overlong input is cut one
 * character past the limit, to bound the cost.
 */
function normalise(password: string): string {
  return password.slice(0, 2 * MAX_LENGTH + 1).normalize('NFKC');
}
