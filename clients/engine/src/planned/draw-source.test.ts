import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { createPlannedSamples, type PlannedSamples, SECONDS, splitByRequest } from './planned.fixture.ts';

const waveform = { maxPixels: 100, maxMs: 60_000 };
const PARTS: CutRequest = { splitMode: 'parts', parts: 2, dryRun: true };

describe('the waveform of a dry run', () => {
  let planned: PlannedSamples;
  before(async () => {
    planned = await createPlannedSamples(['mp3', 'm4a']);
  });
  after(() => planned[Symbol.asyncDispose]());

  for (const name of ['mp3', 'm4a']) {
    test(`${name}: equals that of its source, for any kind of cut`, async () => {
      for (const request of [PARTS, { ...PARTS, preset: 'speech' }] as const) {
        await using dry = await planned.split(name, request, { waveform });
        const { sampleRateHz, samplesPerPixel, values } = dry.result.waveform ?? assert.fail();
        assert.equal(sampleRateHz, 44_100);
        const pixels = values.length / 2;
        assert.ok(pixels <= 100 && (pixels * samplesPerPixel) / sampleRateHz >= SECONDS - 0.1, `${pixels}`);
        for (let pixel = 0; pixel < pixels - 1; pixel += 1) assert.ok((values[2 * pixel + 1] ?? 0) > 5);
      }
    });
  }

  test('is drawn only on request, and not by a run that writes files', async () => {
    await using unasked = await planned.split('mp3', PARTS);
    assert.equal(unasked.result.waveform, undefined);
    await using made = await planned.split('mp3', { ...PARTS, dryRun: false }, { waveform });
    assert.equal(made.result.waveform, undefined);
  });

  test('is omitted if it takes too long, and the dry run continues', async () => {
    await using dry = await planned.split('mp3', PARTS, { waveform: { ...waveform, maxMs: 1 } });
    assert.equal(dry.segments.length, 2);
    assert.equal(dry.result.waveform, undefined);
  });

  test('is drawn for a link that is converted, because a dry run decodes all of it', async () => {
    const source = await readFile(await planned.samples.make('converted.wav', 'aevalsrc=0|0:s=48000:d=100'));
    await using dry = await splitByRequest(
      source,
      { splitMode: 'ranges', ranges: [{ start: 5, end: 6 }], dryRun: true },
      {
        ffmpegPath: planned.samples.ffmpegPath,
        outputFormat: 'mp3',
        waveform,
        sourceRanges: {
          sizeBytes: source.length,
          async writeTo(path, span) {
            await using file = await open(path, 'r+');
            await file.write(source, span.start, span.end - span.start, span.start);
            return span;
          },
        },
      },
    );
    assert.ok(dry.result.waveform);
  });

  test('is omitted if the cuts need only a part of the source, and no more is fetched', async () => {
    const source = await readFile(await planned.samples.make('long.wav', 'aevalsrc=0|0:s=48000:d=100'));
    let fetched = 0;
    await using dry = await splitByRequest(
      source,
      { splitMode: 'ranges', ranges: [{ start: 5, end: 6 }], dryRun: true },
      {
        ffmpegPath: planned.samples.ffmpegPath,
        waveform,
        sourceRanges: {
          sizeBytes: source.length,
          async writeTo(path, span) {
            await using file = await open(path, 'r+');
            await file.write(source.subarray(span.start, span.end), 0, span.end - span.start, span.start);
            fetched += span.end - span.start;
            return span;
          },
        },
      },
    );
    assert.equal(dry.segments.length, 1);
    assert.equal(dry.result.waveform, undefined);
    assert.ok(fetched < source.length / 2, `${fetched} bytes`);
  });
});
