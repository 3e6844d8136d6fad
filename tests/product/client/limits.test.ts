import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_SEGMENT_BYTES,
  MAX_SEGMENT_SECONDS,
  MIN_SEGMENT_BYTES,
  OUTPUT_FORMATS,
} from '@audiosplit/client';
import { readDescription } from '../../../gateway/generate/render-client.ts';

test('the limits of the client are those of the description', async () => {
  const description = await readDescription();
  const operation = Object.values(description.paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === 'createSplit');
  const text = JSON.stringify(operation?.requestBody);
  const property = (name: string) => new RegExp(`"${name}":(\\{[^{}]*\\})`).exec(text)?.[1] ?? '{}';
  const { maximum: seconds } = JSON.parse(property('segmentDuration'));
  const { minimum, maximum } = JSON.parse(property('maxFileSize'));
  assert.deepEqual(
    [seconds, minimum, maximum, JSON.parse(property('outputFormat')).enum],
    [MAX_SEGMENT_SECONDS, MIN_SEGMENT_BYTES, MAX_SEGMENT_BYTES, [...OUTPUT_FORMATS]],
  );
});
