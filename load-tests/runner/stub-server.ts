/**
 * Refuses every request as a gateway does whose limit is used up, except on the slow paths: there it serves
 * trickling sources, and sends uploads that may stall.
 */

import { type Listening, listen } from '../../tests/harness/servers/listen.ts';
import { SLOW_PATHS } from '../profiles/slow-paths.ts';

import { sendUpload, serveTrickle } from './slow-answers.ts';

const LIMIT = 1;
const RETRY_AFTER_SECONDS = 60;
const BODY = JSON.stringify({
  error: {
    code: 'RATE_LIMITED',
    message: 'This server refuses every request.',
    status: 429,
    retryAfter: RETRY_AFTER_SECONDS,
  },
});

/** `host`: the address at which the installation reaches this machine. */
export function startStubServer(host?: string): Promise<Listening> {
  return listen((request, response) => {
    if (request.url === SLOW_PATHS.source) return void serveTrickle(request, response);
    if (request.url === SLOW_PATHS.upload) return void sendUpload(request, response, false);
    if (request.url === SLOW_PATHS.stalledUpload) return void sendUpload(request, response, true);
    response.writeHead(429, {
      'content-type': 'application/json',
      'content-length': BODY.length,
      'x-ratelimit-limit': LIMIT,
      'x-ratelimit-remaining': 0,
      'x-ratelimit-reset': Math.floor(Date.now() / 1_000) + RETRY_AFTER_SECONDS,
      'retry-after': String(RETRY_AFTER_SECONDS),
    });
    response.end(BODY);
  }, host);
}
