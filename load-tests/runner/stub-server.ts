/** Refuses every request as a gateway does whose limit is used up, and does nothing else. */
import { type Listening, listen } from '../../tests/harness/servers/listen.ts';

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

export function startStubServer(): Promise<Listening> {
  return listen((_request, response) => {
    response.writeHead(429, {
      'content-type': 'application/json',
      'content-length': BODY.length,
      'x-ratelimit-limit': LIMIT,
      'x-ratelimit-remaining': 0,
      'x-ratelimit-reset': Math.floor(Date.now() / 1_000) + RETRY_AFTER_SECONDS,
      'retry-after': String(RETRY_AFTER_SECONDS),
    });
    response.end(BODY);
  });
}
