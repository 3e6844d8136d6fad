/**
 * The format of an API key: `ask_live_`, 43 base-62 characters (256 random bits), and their CRC-32 in base 62, padded
 * to 6. The checksum rejects typing errors, truncated copies and guesses without a call.
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
