import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../process/env.ts';
import { parseStorageUrl } from './storage-url.ts';

test('reads a folder', () => {
  assert.deepEqual(parseStorageUrl('file:///var/lib/audio%20split'), {
    kind: 'files',
    directory: '/var/lib/audio split',
  });
});

test('reads a bucket, with and without endpoint and region', () => {
  assert.deepEqual(parseStorageUrl('s3://audio-split.eu'), { kind: 's3', bucket: 'audio-split.eu' });
  assert.deepEqual(parseStorageUrl('s3://bucket?endpoint=http://127.0.0.1:9000&region=us-east-1'), {
    kind: 's3',
    bucket: 'bucket',
    endpoint: 'http://127.0.0.1:9000',
    region: 'us-east-1',
  });
});

for (const [value, message] of [
  ['', /allowed: file:/],
  ['/var/lib', /allowed: file:/],
  ['gs://bucket', /allowed: file:/],
  ['file://host/folder', /absolute path/],
  ['file:///', /absolute path/],
  ['file:///folder?x=1', /absolute path/],
  ['s3://', /name of a bucket/],
  ['s3://UPPER_case', /name of a bucket/],
  ['s3://bucket/path', /no path/],
  ['s3://bucket?endpiont=http://x', /not endpiont/],
  ['s3://bucket?endpoint=127.0.0.1:9000', /http or https/],
] as const) {
  test(`rejects ${JSON.stringify(value)}`, () => {
    assert.throws(
      () => parseStorageUrl(value),
      (error) =>
        error instanceof ConfigError && error.variable === 'STORAGE_URL' && message.test(error.message),
    );
  });
}

for (const value of [
  's3://id:planted@bucket',
  's3://id:pla/planted@bucket',
  's3://bucket?secret=planted',
  'file://id:planted@host/folder',
  'id:planted@bucket',
]) {
  test(`shows no credentials of ${value} in its error`, () => {
    assert.throws(
      () => parseStorageUrl(value),
      (error) => error instanceof ConfigError && !error.message.includes('planted'),
    );
  });
}
