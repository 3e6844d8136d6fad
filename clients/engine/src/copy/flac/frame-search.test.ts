import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openByteReader } from '../source/byte-reader.ts';
import { createSource, withScratchDir } from '../testing/ffmpeg.ts';
import { inChunks } from '../testing/split-buffer.ts';
import { createFrameSearch } from './frame-search.ts';
import { readFlacHead } from './stream-head.ts';

const BLOCK_SAMPLES = 64;

async function searchIn(stream: Buffer, path: string) {
  await writeFile(path, stream);
  const { signal } = new AbortController();
  await using reader = openByteReader(inChunks(stream), { signal, onBytes: () => undefined });
  const head = await readFlacHead(reader, 0);
  const from = { position: reader.position, sample: 0 };
  const file = { path, sizeBytes: stream.length };
  return { from, search: createFrameSearch(file, head, { start: from.position, lookBytes: 1_024 }) };
}

function createStream(): Promise<Buffer> {
  return createSource({
    seconds: 6,
    sampleRateHz: 8_000,
    channelCount: 1,
    encode: ['-c:a', 'flac', '-sample_fmt', 's16', '-frame_size', String(BLOCK_SAMPLES)],
    extension: 'flac',
  });
}

test('a frame shortly before the sample is found, and one near the end', async () => {
  await withScratchDir(async (dir) => {
    const { from, search } = await searchIn(await createStream(), join(dir, 'source'));
    const near = await search.before(30_000, from);
    assert.ok(near && near.sample < 30_000 && near.sample > 26_000, `${near?.sample}`);
    assert.equal(near.sample % BLOCK_SAMPLES, 0);
    const last = await search.before(Number.POSITIVE_INFINITY, from);
    assert.ok(last && last.sample > 44_000, `${last?.sample}`);
  });
});

test('many false frames end the search', async () => {
  await withScratchDir(async (dir) => {
    const stream = await createStream();
    const { from } = await searchIn(stream, join(dir, 'source'));
    // Repeats the first frame's header: none is followed by the next frame number.
    const header = stream.subarray(from.position, from.position + 8);
    const hostile = Buffer.concat([
      stream.subarray(0, from.position + 200),
      ...Array<Buffer>(40_000).fill(header),
    ]);
    const { search } = await searchIn(hostile, join(dir, 'hostile'));
    assert.equal(await search.before(30_000, from), undefined);
  });
});
