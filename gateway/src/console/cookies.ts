/**
 * The cookies of a console session (RFC 6265): HttpOnly, SameSite=Strict and limited to the console's paths, so that
 * the API never receives them.
 */
import { randomBytes } from 'node:crypto';
import type { Session } from '../schemas/sessions.ts';

export const ACCESS_COOKIE = 'audiosplit_access';
export const REFRESH_COOKIE = 'audiosplit_refresh';
/** Identifies the browser to the accounts that have signed in with it. */
const DEVICE_COOKIE = 'audiosplit_device';
export const CONSOLE_PREFIX = '/console';
/** The access cookie also goes to the pages whose 404 depends on the account (missing-page.ts). */
const ACCESS_PATHS = [CONSOLE_PREFIX, '/jobs', '/batches'];

/** As long as auth remembers a device. */
const DEVICE_MAX_AGE_SECONDS = 90 * 86_400;
const DEVICE_TOKEN = /^[\w-]{43}$/;

/** At least the lifetime of an unused session, which auth decides. */
const REFRESH_MAX_AGE_SECONDS = 30 * 86_400;

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key = '', ...value] = pair.split('=');
    if (key.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/** The browser's own token, or a new one. */
export function deviceTokenOf(header: string | undefined): string {
  const kept = readCookie(header, DEVICE_COOKIE) ?? '';
  return DEVICE_TOKEN.test(kept) ? kept : randomBytes(32).toString('base64url');
}

/** The Set-Cookie header for it. */
export function deviceCookie(deviceToken: string, isSecure: boolean): string {
  const scope = { path: CONSOLE_PREFIX, maxAgeSeconds: DEVICE_MAX_AGE_SECONDS, isSecure };
  return setCookie(DEVICE_COOKIE, deviceToken, scope);
}

/** Set-Cookie headers that sign a browser in. Tokens hold no character that a cookie may not. */
export function sessionCookies(session: Session, isSecure: boolean): string[] {
  return [
    ...ACCESS_PATHS.map((path) =>
      setCookie(ACCESS_COOKIE, session.accessToken, { path, maxAgeSeconds: session.expiresIn, isSecure }),
    ),
    setCookie(REFRESH_COOKIE, session.refreshToken, {
      path: CONSOLE_PREFIX,
      maxAgeSeconds: REFRESH_MAX_AGE_SECONDS,
      isSecure,
    }),
  ];
}

export function clearedCookies(isSecure: boolean): string[] {
  const ended = { maxAgeSeconds: 0, isSecure };
  return [
    ...ACCESS_PATHS.map((path) => setCookie(ACCESS_COOKIE, '', { path, ...ended })),
    setCookie(REFRESH_COOKIE, '', { path: CONSOLE_PREFIX, ...ended }),
  ];
}

interface CookieScope {
  readonly path: string;
  readonly maxAgeSeconds: number;
  readonly isSecure: boolean;
}

/** A Set-Cookie header. */
export function setCookie(
  name: string,
  value: string,
  { path, maxAgeSeconds, isSecure }: CookieScope,
): string {
  const attributes = `Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
