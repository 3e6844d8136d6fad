/**
 * Passwords: their rule, and argon2id. A hash carries its own costs, so that raising the configured ones
 * strengthens each account's hash when its holder signs in next.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { hash, parseOptions, verify } from '@node-rs/argon2';
import type { PasswordHashing } from '../config.ts';

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Takes the same time without a hash (an unknown address) and answers false. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>;
  /** Whether a hash was made at other costs than today's. */
  isOutdated(passwordHash: string): boolean;
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
  // The library's default algorithm is argon2id, 32 bytes long, with 16 random bytes of salt.
  const options = { memoryCost: costs.memoryKib, timeCost: costs.iterations, parallelism: 1 };
  const hashNormalised = (password: string) => hash(normalise(password), options);
  const dummyHash = await hashNormalised(crypto.randomUUID());
  return {
    hash: hashNormalised,
    async verify(passwordHash, password) {
      const matches = await verify(passwordHash ?? dummyHash, normalise(password));
      return matches && passwordHash !== undefined;
    },
    isOutdated(passwordHash) {
      const made = parseOptions(passwordHash);
      return made.memoryCost !== options.memoryCost || made.timeCost !== options.timeCost;
    },
  };
}

/**
 * The same password typed on another keyboard may arrive composed differently (NIST SP 800-63B, 5.1.1.2).
 * What is too long to be anyone's password is cut, one character past the bound, before it costs anything.
 */
function normalise(password: string): string {
  return password.slice(0, 2 * MAX_LENGTH + 1).normalize('NFKC');
}
