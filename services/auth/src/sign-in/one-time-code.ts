/**
 * Codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 seconds, which all apps support), and recovery
 * codes.
 */
import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
/** RFC 4226, 4, recommends 160 bits. */
const SECRET_BYTES = 20;
/** RFC 6238, 5.2: one step either way, for clock differences and transmission. */
const STEPS_OFF = 1;
/** The largest clock difference that an error message can report. */
const MAX_STEPS_OFF = 20;
/** 80 random bits; a fast hash is enough. */
const RECOVERY_BYTES = 10;
const RECOVERY_CODES = 10;

export function newSecret(): Buffer {
  return Buffer.from(new Secret({ size: SECRET_BYTES }).buffer);
}

export function toBase32(secret: Buffer): string {
  return secretOf(secret).base32;
}

/** The content of a QR code. */
export function toUri(secret: Buffer, email: string): string {
  return totpOf(secret, email).toString();
}

/** The time step of a code, or undefined for a wrong one. */
export function stepOf(secret: Buffer, code: string, at: Date): number | undefined {
  const off = stepsOff(secret, code, at, STEPS_OFF);
  return off === undefined ? undefined : stepAt(at) + off;
}

/**
 * By how many seconds the clock that made the code is ahead; undefined if the code is wrong or the difference
 * is larger.
 */
export function secondsOff(secret: Buffer, code: string, at: Date): number | undefined {
  const off = stepsOff(secret, code, at, MAX_STEPS_OFF);
  return off === undefined ? undefined : off * PERIOD_SECONDS;
}

/** Accepts spaces between groups, and upper or lower case. */
export function normalizeCode(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toUpperCase();
}

export function isAppCode(normalized: string): boolean {
  return /^\d{6}$/.test(normalized);
}

/** In groups of four characters. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    new Secret({ size: RECOVERY_BYTES }).base32.replace(/(.{4})(?=.)/g, '$1-'),
  );
}

export function sha256OfRecoveryCode(normalized: string): Buffer {
  return createHash('sha256').update(normalized).digest();
}

function stepsOff(secret: Buffer, code: string, at: Date, window: number): number | undefined {
  if (!isAppCode(code)) return undefined;
  return totpOf(secret).validate({ token: code, timestamp: at.getTime(), window }) ?? undefined;
}

function stepAt(at: Date): number {
  return TOTP.counter({ period: PERIOD_SECONDS, timestamp: at.getTime() });
}

function totpOf(secret: Buffer, label = ''): TOTP {
  return new TOTP({
    issuer: 'audiosplit',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: secretOf(secret),
  });
}

function secretOf(secret: Buffer): Secret {
  return new Secret({ buffer: new Uint8Array(secret).buffer });
}
