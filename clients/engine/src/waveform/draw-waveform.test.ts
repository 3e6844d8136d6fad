import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { SourceContainer } from '../formats/formats.ts';
import { UNCONFINED } from '../sandbox/sandbox.ts';
import { type AudioSamples, createAudioSamples } from '../testing/audio-samples.ts';
import { drawWaveform, type WaveformFile } from './draw-waveform.ts';

let samples: AudioSamples;
let workDir: string;
before(async () => {
  samples = await createAudioSamples();
  workDir = await mkdtemp(join(samples.dir, 'waveform-'));
});
after(async () => {
  await rm(workDir, { recursive: true, force: true });
  await samples[Symbol.asyncDispose]();
});

/** Two seconds: half as loud as possible, then silence. */
const SOUND = 'aevalsrc=0.5*sin(2*PI*500*t)*lt(t\\,1):s=44100:d=2';

async function fileAt(path: string, container: SourceContainer, startSeconds: number): Promise<WaveformFile> {
  const { size: sizeBytes } = await stat(path);
  return { startSeconds, sizeBytes, open: async () => ({ container, bytes: createReadStream(path) }) };
}

function draw(files: readonly WaveformFile[], seconds: number, onProgress = () => {}, decoders = () => 2) {
  return drawWaveform({
    files,
    seconds,
    maxPixels: 60,
    decoders,
    ffmpegPath: samples.ffmpegPath,
    sandbox: UNCONFINED,
    workDir,
    signal: new AbortController().signal,
    onProgress,
  });
}

/** The highest pixel in the middle of each second. */
function highestOf({ values, samplesPerPixel, sampleRateHz }: Awaited<ReturnType<typeof draw>>): number[] {
  const pixelsPerSecond = sampleRateHz / samplesPerPixel;
  const seconds = Math.round(values.length / 2 / pixelsPerSecond);
  return Array.from(
    { length: seconds },
    (_, n) => values[2 * Math.floor((n + 0.5) * pixelsPerSecond) + 1] ?? 0,
  );
}

const FORMATS: readonly (readonly [container: SourceContainer, name: string, ...args: string[]])[] = [
  ['mp3', 's.mp3', '-b:a', '128k'],
  ['wav', 's.wav', '-c:a', 'pcm_s24le'],
  ['flac', 's.flac'],
  ['ogg', 's.ogg', '-c:a', 'libvorbis'],
  ['mp4', 's.m4a', '-c:a', 'aac', '-movflags', '+faststart'],
  ['adts', 's.aac', '-c:a', 'aac'],
];
for (const [container, name, ...args] of FORMATS) {
  test(`${name}: each file is drawn at its start, and gaps between files are flat`, async () => {
    const path = await samples.make(name, SOUND, ...args);
    const waveform = await draw([await fileAt(path, container, 0), await fileAt(path, container, 3)], 6);
    const heights = highestOf(waveform);
    assert.equal(heights.length, 6);
    for (const [second, height] of heights.entries()) {
      const expected = second % 3 === 0 ? 64 : 0;
      assert.ok(Math.abs(height - expected) <= 6, `${height} in second ${second}`);
    }
  });
}

test('a waveform has at most the requested number of pixels, and the last one reaches the end', async () => {
  const path = await samples.make('short.wav', SOUND);
  const { values, samplesPerPixel, sampleRateHz } = await draw([await fileAt(path, 'wav', 0)], 2);
  assert.ok(values.length / 2 <= 60);
  assert.ok((values.length / 2) * samplesPerPixel >= 2 * sampleRateHz);
});

test('a file with another rate is resampled to that of the first', async () => {
  const first = await samples.make('high.wav', SOUND);
  const second = await samples.make('low.wav', SOUND, '-ar', '8000');
  const heights = highestOf(await draw([await fileAt(first, 'wav', 0), await fileAt(second, 'wav', 2)], 4));
  for (const [at, height] of heights.entries()) {
    assert.ok(Math.abs(height - (at % 2 === 0 ? 64 : 0)) <= 4, `${height} in second ${at}`);
  }
});

test('a file that cannot be decoded is UNSUPPORTED_MEDIA', async () => {
  const bytes = Buffer.alloc(100_000, 'no audio');
  const file: WaveformFile = {
    startSeconds: 0,
    sizeBytes: bytes.length,
    async open() {
      const all = (async function* () {
        yield bytes;
      })();
      return { container: 'flac', bytes: all };
    },
  };
  await assert.rejects(draw([file], 2), { failure: 'UNSUPPORTED_MEDIA' });
});

test('an error of its watcher ends the work', async () => {
  const path = await samples.make('watched.wav', SOUND);
  const file = await fileAt(path, 'wav', 0);
  let calls = 0;
  const stop = () => {
    calls += 1;
    if (calls === 3) throw new Error('enough');
  };
  await assert.rejects(draw([file, file, file], 6, stop), /enough/);
});

test('as many files are decoded at once as allowed, and at least one', async () => {
  const path = await samples.make('beside.wav', SOUND);
  for (const most of [0, 1, 3]) {
    let open = 0;
    let mostOpen = 0;
    const files = [0, 2, 4, 6].map((startSeconds) => ({
      startSeconds,
      sizeBytes: 352_844,
      async open() {
        open += 1;
        mostOpen = Math.max(mostOpen, open);
        const bytes = (async function* () {
          yield* createReadStream(path);
          open -= 1;
        })();
        return { container: 'wav' as const, bytes };
      },
    }));
    const heights = highestOf(
      await draw(
        files,
        8,
        () => {},
        () => most,
      ),
    );
    assert.equal(heights.length, 8);
    assert.ok(heights.every((height, second) => Math.abs(height - (second % 2 === 0 ? 64 : 0)) <= 4));
    assert.ok(mostOpen <= Math.max(1, most) && mostOpen >= Math.min(2, most), `${mostOpen} of ${most}`);
  }
});
