/**
 * The cookies that carry a session of the console (RFC 6265). No script reads them, no other site's request brings them
 * along, and they go to the console's own paths only: the API never sees a credential that it has not asked for.
 */
import type { Session } from '../schemas/sessions.ts';

export const ACCESS_COOKIE = 'audiosplit_access';
export const REFRESH_COOKIE = 'audiosplit_refresh';
export const CONSOLE_PREFIX = '/console';
/** The status of a job's page says whether the account has the job. */
const JOB_PAGES = '/jobs';

/** As long as a session lives without being used; auth decides, this only has to be no less. */
const REFRESH_MAX_AGE_SECONDS = 30 * 86_400;

/** The value of the first cookie of that name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key = '', ...value] = pair.split('=');
    if (key.trim() === name) return value.join('=').trim();
  }
  return undefined;
}

/** Set-Cookie headers that sign a browser in. Tokens are of characters that a cookie may hold. */
export function sessionCookies(session: Session, isSecure: boolean): string[] {
  return [
    ...[CONSOLE_PREFIX, JOB_PAGES].map((path) =>
      setCookie(ACCESS_COOKIE, session.accessToken, { path, maxAgeSeconds: session.expiresIn, isSecure }),
    ),
    setCookie(REFRESH_COOKIE, session.refreshToken, {
      path: CONSOLE_PREFIX,
      maxAgeSeconds: REFRESH_MAX_AGE_SECONDS,
      isSecure,
    }),
  ];
}

/** Set-Cookie headers that sign it out. */
export function clearedCookies(isSecure: boolean): string[] {
  const ended = { maxAgeSeconds: 0, isSecure };
  return [
    setCookie(ACCESS_COOKIE, '', { path: CONSOLE_PREFIX, ...ended }),
    setCookie(ACCESS_COOKIE, '', { path: JOB_PAGES, ...ended }),
    setCookie(REFRESH_COOKIE, '', { path: CONSOLE_PREFIX, ...ended }),
  ];
}

interface CookieScope {
  readonly path: string;
  readonly maxAgeSeconds: number;
  readonly isSecure: boolean;
}

function setCookie(name: string, value: string, { path, maxAgeSeconds, isSecure }: CookieScope): string {
  const attributes = `Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${name}=${value}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
