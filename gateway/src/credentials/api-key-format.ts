/**
 * The form of an API key: `ask_live_`, 43 base-62 characters that hold 256 random bits, and the CRC-32 of
 * those 43 in base 62, padded to 6. The checksum lets typing errors, cut-off copies and guesses be refused
 * without asking anyone.
 */
import { crc32 } from 'node:zlib';

const FORM = /^ask_live_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECKSUM_LENGTH = 6;

export function isWellFormedApiKey(secret: string): boolean {
  const [, random, checksum] = FORM.exec(secret) ?? [];
  return random !== undefined && checksum === apiKeyChecksum(random);
}

export function apiKeyChecksum(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE_62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
