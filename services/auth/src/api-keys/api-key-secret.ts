/**
 * The secret of an API key: `ask_live_`, 43 base-62 characters that hold 256 random bits, and the CRC-32 of
 * those 43 characters as 6 more. The checksum lets anyone tell a mistyped or made-up secret from a real one
 * without asking the service, and lets scanners of leaked credentials avoid false alarms.
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

/** Whether a secret has the form and the checksum of one that was minted. */
export function isWellFormedApiKeySecret(secret: string): boolean {
  const [, body, checksum] = FORM.exec(secret) ?? [];
  return body !== undefined && checksumOf(body) === checksum;
}

/** Such as `ask_live_a1b2…wxyz`: enough to recognise a key, too little to use it. */
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
