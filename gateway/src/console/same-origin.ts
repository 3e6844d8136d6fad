/**
 * Whether a request comes from the console's own page. The cookies are SameSite=Strict already; this also holds off pages
 * of the same site and browsers that do not know the attribute. A header that is not one of the safelisted (WHATWG
 * Fetch, 2.2.2) cannot be sent from elsewhere without a preflight, which nobody answers here.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../http/errors/api-error.ts';

export const CONSOLE_HEADER = 'x-audiosplit-console';

export interface OriginRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Throws 400 INVALID_PARAMS. A GET changes nothing, and an EventSource sends no headers of its own. */
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
