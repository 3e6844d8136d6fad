/**
 * Rejects requests that do not come from the console's own page. The cookies are SameSite=Strict; this check also
 * covers other origins of the same site and browsers without SameSite. A custom header cannot be sent from another
 * origin without a preflight (WHATWG Fetch, 2.2.2), and preflights are not answered.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/errors/api-error.ts';

export const CONSOLE_HEADER = 'x-audiosplit-console';

interface OriginRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Throws 400 INVALID_PARAMS. GET is exempt: it changes nothing, and EventSource cannot send custom headers. */
export function requireSameOrigin({ method, headers }: OriginRequest, publicBaseUrl?: string): void {
  const { origin, host, 'sec-fetch-site': fetchSite } = headers;
  const isElsewhere = fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none';
  const isMarked = method === 'GET' || headers[CONSOLE_HEADER] !== undefined;
  if (isElsewhere || !isMarked || !isOwnOrigin(origin, host, publicBaseUrl)) {
    throw new ApiError('INVALID_PARAMS', 'This address serves the console only; programs use /api/v1.');
  }
}

function isOwnOrigin(
  origin: string | undefined,
  host: string | undefined,
  publicBaseUrl: string | undefined,
): boolean {
  return origin === undefined || origin === publicBaseUrl || URL.parse(origin)?.host === host;
}
