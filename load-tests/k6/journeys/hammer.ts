import { check } from 'k6';
import http, { type RefinedResponse } from 'k6/http';
import { Counter } from 'k6/metrics';
import { isRateLimitedEnvelope, verdictOf } from '../../analysis/refusal.ts';
import { currentCaller, plan } from '../plan.ts';

/** One for each response, tagged with its window and its outcome. */
const answers = new Counter('limit_answers');

const AS_EXPECTED = http.expectedStatuses(200, 429);

/** Sends one request that a limit may refuse. A refusal is a correct response; its content is checked. */
export function hammer(): void {
  ask(plan.baseUrl, 'GET /splits');
}

/** The same to a server that only refuses. */
export function hammerStubServer(): void {
  if (plan.stubServerUrl === undefined) throw new Error('the plan has no stub server');
  ask(plan.stubServerUrl, 'stub server');
}

function ask(baseUrl: string, name: string): void {
  const { apiKey } = currentCaller();
  const response = http.get(`${baseUrl}/api/v1/splits?limit=1`, {
    headers: { 'X-API-Key': apiKey },
    tags: { name },
    responseType: 'text',
    responseCallback: AS_EXPECTED,
  });
  const { status } = response;
  const verdict = verdictOf(status);
  answers.add(1, { window: headerOf(response, 'X-Ratelimit-Reset') ?? 'none', verdict });
  const headers = ['X-Ratelimit-Limit', 'X-Ratelimit-Remaining', 'X-Ratelimit-Reset'];
  check(response, {
    'it passes or is refused with 429': () => verdict !== 'other',
    'it has the three headers': () =>
      headers.every((header) => /^\d+$/.test(headerOf(response, header) ?? '')),
  });
  if (status !== 429) return;
  check(response, {
    'a 429 says when to come back': () => isWithinWindow(headerOf(response, 'Retry-After')),
    'a 429 says that nothing remains': () => headerOf(response, 'X-Ratelimit-Remaining') === '0',
    'a 429 has the envelope': () =>
      isRateLimitedEnvelope(response.body, Number(headerOf(response, 'Retry-After'))),
  });
}

function isWithinWindow(retryAfter: string | undefined): boolean {
  const seconds = Number(retryAfter);
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 60;
}

/** k6 writes names as Go does, X-Ratelimit-Reset. */
function headerOf({ headers }: RefinedResponse<'text'>, name: string): string | undefined {
  return headers[name];
}
