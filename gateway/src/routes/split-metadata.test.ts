/** Metadata is returned exactly as sent, even if JavaScript would change it. */
import assert from 'node:assert/strict';
import { before, beforeEach, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { MAX_METADATA_BYTES } from '../schemas/splits.ts';
import { expectError } from '../testing/expect-error.ts';
import { startTestGateway } from '../testing/test-gateway.ts';
import { COMPLETED_AT, queued } from './split-jobs.fixture.ts';

describe('metadata', () => {
  let apiKey: string;
  let stored: string | undefined;
  const job = () => ({ ...queued, ...(stored === undefined ? {} : { metadataJson: stored }) });
  const gateway = forSuite(() =>
    startTestGateway({
      services: {
        jobs: {
          createJob({ metadataJson }) {
            stored = metadataJson;
            return { job: job() };
          },
          getJob: () => ({
            job: { ...job(), status: JobStatus.COMPLETED, completedAt: timestampFromDate(COMPLETED_AT) },
          }),
          cancelJob: () => ({
            job: { ...job(), status: JobStatus.FAILED, error: { code: 'CANCELED', message: 'Stopped.' } },
          }),
        },
      },
    }),
  );
  before(() => {
    apiKey = gateway.newKey().secret;
  });
  beforeEach(() => {
    stored = undefined;
  });
  const create = (metadata: string, headers: Record<string, string> = {}) =>
    gateway.call('/api/v1/splits', {
      method: 'POST',
      apiKey,
      headers: { 'content-type': 'application/json', ...headers },
      body: `{"sourceUrl":"https://example.com/a.mp3","splitMode":"duration","segmentDuration":30,"metadata":${metadata}}`,
    });
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;

  for (const [what, metadata] of Object.entries({
    'an integer beyond 2^53': '{"a":12345678901234567890}',
    'a number that does not fit 64 bits': '{"a":1e400,"b":1E-400}',
    'minus zero': '{"a":-0,"b":-0.0}',
    'a fraction of zero': '{"a":1.0,"b":1e0}',
    'names that occur twice': '{"a":1,"a":2}',
    'names that look like positions': '{"b":1,"2":2,"1":3}',
    escapes: '{"a":"\\u0001\\u0041\\/\\ud83c\\udfa7"}',
    'punctuation in strings': '{"}":"{[:,\\"]}"}',
    'the deepest nesting that fits': nested(MAX_METADATA_BYTES / 2 - 3),
    'names of properties that all objects have': '{"constructor":1,"toString":null}',
    'names that would change a prototype':
      '{"__proto__":{"a":1},"constructor":{"prototype":{"b":{"__proto__":null}}}}',
    nothing: '{}',
  })) {
    // Covers I-2.2.9 I-4.3.7
    test(`is returned unchanged: ${what}`, async () => {
      const created = await create(metadata);
      const text = await created.text();
      assert.equal(created.status, 201, text);
      assert.equal(stored, metadata);
      assert.ok(text.includes(`"metadata":${metadata},`), text);
      const canceled = await gateway.call('/api/v1/splits/job_1/cancel', { method: 'POST', apiKey });
      assert.ok((await canceled.text()).includes(`"metadata":${metadata},`));
      const read = await gateway.call('/api/v1/splits/job_1', { apiKey });
      assert.match(read.headers.get('content-type') ?? '', /^application\/json/);
      assert.ok((await read.text()).includes(`"metadata":${metadata},`));
    });
  }

  // Covers D-2.37
  test('does not count the whitespace between its values', async () => {
    const spaced = `{ "a" : [ ${' '.repeat(MAX_METADATA_BYTES)} 1.0 , "x y" ] }`;
    assert.equal((await create(spaced)).status, 201);
    assert.equal(stored, '{"a":[1.0,"x y"]}');
  });

  for (const [what, metadata] of Object.entries({
    'a number of 8 KiB': `{"a":1${'0'.repeat(MAX_METADATA_BYTES)}}`,
    'one name 2,000 times': `{${Array(2_000).fill('"a":1').join(',')}}`,
    'more levels than bytes allow': nested(100_000),
    'half a surrogate pair as a key': '{"\\ud800":1}',
    'half a surrogate pair as a value': '{"a":[{"b":"\\udfff"}]}',
    'U+0000 as a key': '{"a":{"\\u0000":1}}',
    'U+0000 as a value': '{"a":"b\\u0000"}',
  })) {
    // Covers D-2.37
    test(`400 INVALID_PARAMS: ${what}`, async () => {
      await expectError(await create(metadata, { 'idempotency-key': what }), 'INVALID_PARAMS', {
        field: 'metadata',
      });
      assert.equal(stored, undefined);
    });
  }
});
