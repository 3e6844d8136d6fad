import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outgoingIdempotencyKey } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { queued } from '../../routes/split-jobs.fixture.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';

describe('the fingerprint of a request', () => {
  let fingerprint: string | undefined;
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createJob() {
            fingerprint = outgoingIdempotencyKey()?.fingerprint;
            return { job: queued };
          },
        },
      },
    }),
  );

  const fingerprintOf = async (body: string) => {
    fingerprint = undefined;
    const { status } = await gateway.call('/api/v1/splits', {
      method: 'POST',
      apiKey: gateway.newKey().secret,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body,
    });
    assert.equal(status, 201);
    assert.ok(fingerprint);
    return fingerprint;
  };
  const bodyWith = (metadata: string) =>
    `{"sourceUrl":"https://example.com/a.mp3","splitMode":"duration","segmentDuration":30,"metadata":${metadata}}`;

  // Covers D-2.45
  test('is the same for any layout of the body', async () => {
    const first = await fingerprintOf(bodyWith('{"a":" b \\" c "}'));
    assert.equal(await fingerprintOf(` ${bodyWith('{ "a" :\n\t" b \\" c "\r\n}')} `), first);
  });

  for (const [one, other] of [
    ['{"a":12345678901234567890}', '{"a":12345678901234567891}'],
    ['{"a":1}', '{"a":1.0}'],
    ['{"a":"b c"}', '{"a":"bc"}'],
    ['{"a":"\\\\"}', '{"a":"\\""}'],
  ] as const) {
    // Covers D-2.46
    test(`differs between ${one} and ${other}`, async () => {
      assert.notEqual(await fingerprintOf(bodyWith(one)), await fingerprintOf(bodyWith(other)));
    });
  }
});
