import assert from 'node:assert/strict';
import { open, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { OutputFormat } from '../formats/formats.ts';
import type { SourceRanges } from '../source/source-ranges.ts';
import { createAudioSamples } from '../testing/audio-samples.ts';
import { splitByRequest } from './planned.fixture.ts';

const samples = forSuite(createAudioSamples);
/** More than the smallest source that is fetched in parts. */
const SECONDS = 110;
const NOISE = `anoisesrc=r=48000:d=${SECONDS}:a=0.9:seed=1,volume=0.1+0.9*mod(t\\,5)/5:eval=frame,aformat=channel_layouts=stereo`;
const MAX_SHARE = 0.35;

const REQUEST: CutRequest = {
  splitMode: 'ranges',
  ranges: [
    { start: 80.123, end: 83.5 },
    { start: 30, end: 30.7 },
    { start: 82, end: 84 },
  ],
};

interface Kind {
  readonly bytes: () => Promise<Buffer>;
  /** The same samples in a file whose every byte is read; absent: the source itself. */
  readonly whole?: () => Promise<Buffer>;
  readonly outputs: readonly OutputFormat[];
}

const KINDS: Readonly<Record<string, Kind>> = {
  wav: {
    bytes: () => noise('noise.wav'),
    whole: () => noise('noise.aiff'),
    outputs: ['mp3', 'aac', 'flac', 'ogg'],
  },
  flac: { bytes: () => noise('noise.flac', '-sample_fmt', 's16'), outputs: ['mp3', 'ogg'] },
  'mp3 of constant bitrate': {
    async bytes() {
      const plain = ['-b:a', '320k', '-compression_level', '9', '-write_xing', '0', '-id3v2_version', '0'];
      const once = await noise('noise.mp3', '-t', '30', ...plain);
      return Buffer.concat(Array.from({ length: 15 }, () => once));
    },
    outputs: ['aac', 'flac', 'ogg'],
  },
};

async function noise(name: string, ...args: readonly string[]): Promise<Buffer> {
  return await readFile(
    await samples.make(name, NOISE, '-map_metadata', '-1', '-fflags', '+bitexact', ...args),
  );
}

function partsOf(source: Buffer): { readonly ranges: SourceRanges; readonly fetchedBytes: () => number } {
  let fetchedBytes = 0;
  return {
    ranges: {
      sizeBytes: source.length,
      async writeTo(path, span) {
        await using file = await open(path, 'r+');
        await file.write(source, span.start, span.end - span.start, span.start);
        fetchedBytes += span.end - span.start;
        return span;
      },
    },
    fetchedBytes: () => fetchedBytes,
  };
}

test('a source whose samples are changed in conversion is read as a whole', async () => {
  const source = await noise('wide.wav', '-c:a', 'pcm_s24le');
  const settings = { ffmpegPath: samples.ffmpegPath, outputFormat: 'mp3' } as const;
  const { ranges } = partsOf(source);
  await using some = await splitByRequest(source, REQUEST, { ...settings, sourceRanges: ranges });
  await using all = await splitByRequest(source, REQUEST, settings);
  for (const [index, { path }] of some.segments.entries())
    assert.ok((await readFile(path)).equals(await readFile(all.segments[index]?.path ?? '')));
});

describe('ranges in another format', () => {
  for (const [name, { bytes, whole = bytes, outputs }] of Object.entries(KINDS)) {
    test(`of ${name} fetch little of a link, and equal those of the whole`, async () => {
      const source = await bytes();
      const wholeSource = await whole();
      for (const outputFormat of [undefined, ...outputs]) {
        const settings = { ffmpegPath: samples.ffmpegPath, ...(outputFormat && { outputFormat }) };
        const { ranges, fetchedBytes } = partsOf(source);
        const compared = outputFormat === undefined ? source : wholeSource;
        await using some = await splitByRequest(source, REQUEST, { ...settings, sourceRanges: ranges });
        await using all = await splitByRequest(compared, REQUEST, settings);
        const share = fetchedBytes() / source.length;
        assert.ok(share < MAX_SHARE, `${outputFormat}: ${share} was fetched`);
        assert.equal(some.segments.length, 3);
        for (const [index, { path, startSample, sampleCount }] of some.segments.entries()) {
          const other = all.segments[index];
          assert.ok(other);
          assert.deepEqual([startSample, sampleCount], [other.startSample, other.sampleCount]);
          assert.ok((await readFile(path)).equals(await readFile(other.path)), `${outputFormat} ${index}`);
        }
      }
    });
  }
});
