/**
 * A planned cut gives the same segments from a file and from a stream, for any request. SPLIT_PROPERTY_RUNS
 * sets the number of requests for each source.
 */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { anyRequest } from '@audiosplit/cuts/plan/any-request.fixture';
import fc from 'fast-check';
import { MediaError } from '../../src/media-error.ts';
import { splitByRequest } from '../../src/planned/planned.fixture.ts';
import { createAudioSamples } from '../../src/testing/audio-samples.ts';
import { chunkSizes, inChunks } from './random-source.ts';

const samples = forSuite(createAudioSamples);
const RUNS = Number(process.env.SPLIT_PROPERTY_RUNS ?? 6);
const SECONDS = 12;
/** Noise that pauses for half a second or more. */
const SPEECH = 'aevalsrc=(0.3*random(0)-0.15)*gt(mod(t*(1+t/40)\\,2.3)\\,0.8):s=16000';

const SOURCES: readonly (readonly [name: string, ...args: string[]])[] = [
  ['speech.wav', '-c:a', 'pcm_s16le'],
  ['speech.mp3', '-c:a', 'libmp3lame', '-b:a', '128k'],
];

async function outcomeOf(source: Parameters<typeof splitByRequest>[0], request: CutRequest, settings = {}) {
  const { ffmpegPath } = samples;
  try {
    await using done = await splitByRequest(source, request, { ffmpegPath, ...settings });
    const files = await Promise.all(done.segments.map(({ path }) => (path === '' ? '' : readFile(path))));
    return { result: done.result, segments: done.segments.map(({ path: _, ...rest }) => rest), files };
  } catch (error) {
    if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR') return error.failure;
    throw error;
  }
}

for (const [name, ...args] of SOURCES) {
  test(`${name}: any planned cut gives the same segments from a file and from a stream`, async () => {
    const path = await samples.make(name, `${SPEECH}:d=${SECONDS}`, ...args);
    const bytes = await readFile(path);
    const { size: sizeBytes } = await stat(path);
    const requests = anyRequest({ seconds: SECONDS, bytes: sizeBytes });
    let made = 0;
    await fc.assert(
      fc.asyncProperty(requests, fc.boolean(), chunkSizes, async (request, dryRun, sizes) => {
        const asked = { ...request, ...(dryRun ? { dryRun } : {}) };
        const fromFile = await outcomeOf(bytes, asked, { source: { path, sizeBytes } });
        const streamed = await outcomeOf(bytes, asked, { source: inChunks(bytes, sizes) });
        assert.deepEqual(streamed, fromFile);
        if (typeof fromFile !== 'string') made += 1;
      }),
      { numRuns: RUNS },
    );
    assert.ok(made > 0, 'some were split');
  });
}
