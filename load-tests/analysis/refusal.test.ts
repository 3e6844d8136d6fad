import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRateLimitedEnvelope, verdictOf } from './refusal.ts';

const ERROR = { code: 'RATE_LIMITED', message: 'More than 10 requests.', status: 429, retryAfter: 7 };

test('the envelope of a refusal says what its header says', () => {
  assert.ok(isRateLimitedEnvelope(JSON.stringify({ error: ERROR }), 7));
  assert.ok(!isRateLimitedEnvelope(JSON.stringify({ error: ERROR }), 8));
});

for (const body of [
  '',
  'null',
  '<html>',
  '{}',
  JSON.stringify(ERROR),
  JSON.stringify({ error: { ...ERROR, code: 'QUEUE_FULL' } }),
  JSON.stringify({ error: { ...ERROR, status: 503 } }),
  JSON.stringify({ error: { ...ERROR, message: '' } }),
  JSON.stringify({ error: { ...ERROR, retryAfter: '7' } }),
]) {
  test(`not the envelope: ${body}`, () => {
    assert.ok(!isRateLimitedEnvelope(body, 7));
  });
}

test('an answer passes, is refused, or is neither', () => {
  const verdicts = [200, 204, 429, 503, 0, 401].map(verdictOf).join();
  assert.equal(verdicts, 'passed,passed,refused,other,other,other');
});
