import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BucketActionSchema } from '@audiosplit/proto/jobs/v1/bucket';
import { JobStatusSchema, OutputFormatSchema } from '@audiosplit/proto/jobs/v1/jobs';
import type { DescEnum } from '@bufbuild/protobuf';
import { bucketActions, jobStatuses, outputFormats } from './enum-words.ts';
import { BUCKET_ACTIONS, JOB_STATUSES, OUTPUT_FORMATS } from './vocabulary.ts';

interface Pairs {
  toEnum(word: never): number;
  toWord(value: number): string | undefined;
}

const VOCABULARY: readonly (readonly [DescEnum, readonly string[], Pairs])[] = [
  [OutputFormatSchema, OUTPUT_FORMATS, outputFormats],
  [JobStatusSchema, JOB_STATUSES, jobStatuses],
  [BucketActionSchema, BUCKET_ACTIONS, bucketActions],
];

for (const [schema, words, pairs] of VOCABULARY) {
  test(`${schema.name}: every value except the unspecified one has its word, in the order of the enum`, () => {
    const [unspecified, ...values] = schema.values;
    assert.match(unspecified?.name ?? '', /_UNSPECIFIED$/);
    assert.equal(pairs.toWord(0), undefined);
    assert.deepEqual(
      values.map(({ number }) => pairs.toWord(number)),
      words,
    );
    assert.deepEqual(
      words.map((word) => pairs.toEnum(word as never)),
      values.map(({ number }) => number),
    );
  });
}

test('the value of a newer version has no word', () => {
  assert.equal(outputFormats.toWord(99 as never), undefined);
});
