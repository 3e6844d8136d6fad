import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile, decodeJoined } from '../../copy/testing/ffmpeg.ts';
import { encodingFor } from '../../formats/encoding.ts';
import { OUTPUT_FORMATS } from '../../formats/formats.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';
import { countFileSamples } from '../samples/file-samples.ts';

const RATE = 44_100;

const samples = forSuite(createAudioSamples);

test('audio that is encoded once and then cut is one signal across every cut', async () => {
  const cut = { mode: 'fileSize', maxFileSizeBytes: 65_536 } as const;
  const sourcePath = await samples.make('seams.caf', sound(48_000, 8, 'stereo'), '-c:a', 'pcm_s24le');
  await using flac = await startSplit(await readFile(sourcePath), { cut, outputFormat: 'flac' });
  await flac.outcome;
  assert.ok(flac.segments.length > 3);
  assert.ok((await decodeJoined(flac.segments, 's24le')).equals(await decodeFile(sourcePath, 's24le')));
});

test('silence and a few samples fit within a limit in every format', async () => {
  const cut = { mode: 'fileSize', maxFileSizeBytes: 65_536 } as const;
  const cases = [
    ['silence', 'anullsrc=r=44100:cl=stereo', 20 * RATE],
    ['fewer', sound(8_000, 1, 'stereo'), 60],
    ['few', sound(48_000, 1, 'stereo'), 100],
  ] as const;
  for (const [name, text, count] of cases) {
    const path = await samples.make(`${name}.caf`, text, '-af', `atrim=end_sample=${count}`);
    const source = await readFile(path);
    for (const outputFormat of OUTPUT_FORMATS) {
      await using run = await startSplit(source, { cut, outputFormat });
      const result = await run.outcome;
      assert.equal(result.sourceSampleCount, count);
      let held = 0;
      for (const { path, sizeBytes, sampleRateHz } of run.segments) {
        assert.ok(sizeBytes <= cut.maxFileSizeBytes);
        const shape = { format: 's16le', sampleRateHz, channelCount: 2 } as const;
        held +=
          (await countFileSamples(encodingFor(outputFormat).name, path, sizeBytes, shape)) ?? Number.NaN;
      }
      assert.equal(held, count, `${name} ${outputFormat}`);
    }
  }
});
