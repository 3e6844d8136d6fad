import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import type { ProbedSource } from '../input/probed-source.ts';
import { readRawSamples } from './raw-samples.ts';

const PCM = { format: 's16le', sampleRateHz: 8_000, channelCount: 2 } as const;
const BLOCK_BYTES = 4;
const HEADER_BYTES = 45;
/** The options for a source that ends with its samples. */
const NO_LIMIT = { sizeBytes: HEADER_BYTES, maxDurationMs: undefined };
const source = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));

function probed(endByte: number, format: 's16le' | 's24le' = 's16le'): ProbedSource {
  return {
    stream: { codec: `pcm_${format}`, sampleFormat: 's16', significantBits: undefined },
    sampleRateHz: 8_000,
    channelCount: 2,
    tags: new Map(),
    claimedSeconds: undefined,
    claimedSamples: undefined,
    trimEnd: async (samples) => samples,
    rawPcm: { format, startByte: HEADER_BYTES, endByte },
  };
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test('only whole samples are delivered, for any end of chunks, data or source', async () => {
  for (const chunkBytes of [1, 3, 7, 64, 1_000]) {
    for (const endByte of [HEADER_BYTES + 400, HEADER_BYTES + 403, 5_000]) {
      const raw = readRawSamples(inChunks(source, chunkBytes), probed(endByte), PCM, NO_LIMIT);
      assert.ok(raw !== undefined);
      const given = Buffer.concat(await Array.fromAsync(raw.pcm));
      const available = Math.min(endByte, source.length) - HEADER_BYTES;
      const wholeBytes = available - (available % BLOCK_BYTES);
      assert.ok(given.equals(source.subarray(HEADER_BYTES, HEADER_BYTES + wholeBytes)));
      assert.equal(raw.sourceSampleCount(), wholeBytes / BLOCK_BYTES);
    }
  }
});

test('freed memory may be overwritten at once', async () => {
  const freed: number[] = [];
  const free = (chunk: Uint8Array): void => {
    freed.push(chunk.length);
    chunk.fill(0xee);
  };
  for (const chunkBytes of [1, 3, 7, 64, 1_000]) {
    freed.length = 0;
    const bytes = inChunks(Buffer.from(source), chunkBytes);
    const raw = readRawSamples(bytes, probed(HEADER_BYTES + 402), PCM, { ...NO_LIMIT, free });
    assert.ok(raw !== undefined);
    const given: Buffer[] = [];
    for await (const chunk of raw.pcm) {
      given.push(Buffer.from(chunk));
      raw.free(chunk);
    }
    assert.ok(Buffer.concat(given).equals(source.subarray(HEADER_BYTES, HEADER_BYTES + 400)));
    assert.ok(freed.length > 0);
  }
});

test('samples that must be converted are left to the decoder', () => {
  const bytes = inChunks(source, 100);
  assert.equal(readRawSamples(bytes, probed(1_000, 's24le'), PCM, NO_LIMIT), undefined);
  for (const other of [{ sampleRateHz: 44_100 }, { channelCount: 1 }])
    assert.equal(readRawSamples(bytes, probed(1_000), { ...PCM, ...other }, NO_LIMIT), undefined);
  for (const sizeBytes of [1_002, undefined])
    assert.equal(readRawSamples(bytes, probed(1_000), PCM, { ...NO_LIMIT, sizeBytes }), undefined);
});

test('a source without samples is not audio, and more than allowed is rejected', async () => {
  const failures = [
    [source.subarray(0, HEADER_BYTES + 3), 1_000, 'UNSUPPORTED_MEDIA'],
    [source, 10, 'QUOTA_EXCEEDED'],
  ] as const;
  for (const [bytes, maxDurationMs, failure] of failures) {
    const raw = readRawSamples(inChunks(bytes, 100), probed(1_000), PCM, { ...NO_LIMIT, maxDurationMs });
    assert.ok(raw !== undefined);
    await assert.rejects(Array.fromAsync(raw.pcm), failsWith(failure));
  }
});
