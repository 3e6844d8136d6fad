/**
 * The secret of an API key: `ask_live_`, 256 random bits as 43 base-62 characters, and their CRC-32 as 6 more. The
 * checksum detects a mistyped secret without a call to the service, and avoids false alarms in secret scanners.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'ask_live_';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_BYTES = 32;
/** 62^43 is the first power of 62 above 2^256, 62^6 the first above 2^32. */
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const FORM = new RegExp(`^${PREFIX}([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const SHOWN_CHARACTERS = 4;

export function mintApiKeySecret(random: Uint8Array = randomBytes(RANDOM_BYTES)): string {
  const body = toBase62(BigInt(`0x${Buffer.from(random).toString('hex')}`), RANDOM_LENGTH);
  return `${PREFIX}${body}${checksumOf(body)}`;
}

/** Checks the form and the checksum. */
export function isWellFormedApiKeySecret(secret: string): boolean {
  const [, body, checksum] = FORM.exec(secret) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

/** For display: `ask_live_a1b2…wxyz`. */
export function previewOfApiKeySecret(secret: string): string {
  return `${secret.slice(0, PREFIX.length + SHOWN_CHARACTERS)}…${secret.slice(-SHOWN_CHARACTERS)}`;
}

export function sha256OfSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), CHECKSUM_LENGTH);
}

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = ALPHABET.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, ALPHABET.charAt(0));
}
