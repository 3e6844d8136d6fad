/** The client's entrance. */
import { createFiles, type Files } from './files.ts';
import { createFollower, type Follower } from './follow.ts';
import { createOperations, type Operations } from './generated/operations.ts';
import { createTransport, type Fetch, type Secret } from './request.ts';
import type { Retry, RetryPolicy } from './retry.ts';

export interface AudiosplitOptions {
  /** Of the installation, without `/api/v1`. */
  readonly baseUrl: string | URL;
  /** For jobs and uploads. */
  readonly apiKey?: Secret;
  /** For keys, account and billing; a function is asked before every request, and may refresh the token. */
  readonly accessToken?: Secret;
  /** By default the runtime's own. */
  readonly fetch?: Fetch;
  readonly retries?: Partial<RetryPolicy>;
  /** Called before the pause that comes before each repetition; options of a call may name another. */
  readonly onRetry?: (retry: Retry) => void;
  /** Bound of one try of a call that answers with JSON; 60,000 by default. */
  readonly timeoutMs?: number;
  /**
   * JSON.parse by default, which rounds numbers of more than 15 digits: give another to read metadata digit for digit.
   */
  readonly parseJson?: (text: string) => unknown;
}

export interface Audiosplit extends Operations, Follower, Files {}

const TIMEOUT_MS = 60_000;

/** Nothing is sent before a method is called. Methods need no `this`. Throws TypeError for a base URL that is none. */
export function createAudiosplit(options: AudiosplitOptions): Audiosplit {
  const { baseUrl, apiKey, accessToken, retries, parseJson = JSON.parse, timeoutMs = TIMEOUT_MS } = options;
  const transport = createTransport({
    baseUrl: readBaseUrl(baseUrl),
    apiKey,
    accessToken,
    // Looked up at each request, so that what replaces it for a test is used.
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    retries: retries ?? {},
    onRetry: options.onRetry,
    timeoutMs,
    parseJson: (text) => parseJson(text),
  });
  const operations = createOperations(transport.send);
  return {
    ...operations,
    ...createFollower(transport, operations),
    ...createFiles(transport, operations),
  };
}

function readBaseUrl(given: string | URL): string {
  const url = new URL(given);
  // `localhost:8080` reads as a URL of the scheme `localhost:`.
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`baseUrl ${url.href} is not of http or https`);
  if (url.username !== '' || url.password !== '')
    throw new TypeError('baseUrl may not hold a name or password');
  if (url.search !== '' || url.hash !== '') throw new TypeError(`baseUrl ${url.href} goes on after its path`);
  return url.href.replace(/\/+$/, '');
}
