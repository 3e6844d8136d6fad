import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { decodeFile } from '../../copy/testing/ffmpeg.ts';
import { resolveFfmpegPath } from '../../ffmpeg/binary.ts';
import { createWmaFile } from '../../testing/asf-files.ts';
import { createAudioSamples } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';

const samples = forSuite(createAudioSamples);
const ofNpm = await resolveFfmpegPath(undefined);

const ONSET_SECONDS = 0.5;
/** In samples: a codec's onset is not sharp, and a resampled one even less. */
const TOLERANCE = 200;

/** Returns the first audible sample of one channel. */
async function onsetOf(path: string): Promise<number> {
  const pcm = await decodeFile(path, 's16le');
  for (let at = 0; at < pcm.length; at += 2) if (Math.abs(pcm.readInt16LE(at)) > 3_000) return at / 2;
  return Number.NaN;
}

for (const codec of ['wmav1', 'wmav2'] as const) {
  test(`${codec} begins after the decoder's two frames, with any version of ffmpeg, resampled or not`, async () => {
    for (const [rate, outputFormat, frameSamples] of [
      [44_100, 'wav', 2_048],
      [22_050, 'flac', 1_024],
      [16_000, 'wav', 512],
      [11_000, 'mp3', 512],
    ] as const) {
      const tone = `aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,${ONSET_SECONDS})':s=${rate}:d=2`;
      const path = await samples.make(`${codec}-${rate}.wma`, tone, '-c:a', codec, '-b:a', '64k');
      await using run = await startSplit(await readFile(path), {
        cut: { mode: 'duration', segmentDurationSeconds: 10 },
        outputFormat,
      });
      const result = await run.outcome;
      const [segment] = run.segments;
      assert.ok(segment !== undefined);
      // The test's encoder has one frame of priming; the decoder allows for two, as Microsoft's does.
      const due = ((ONSET_SECONDS * rate - frameSamples) / rate) * segment.sampleRateHz;
      const onset = await onsetOf(segment.path);
      assert.ok(Math.abs(onset - due) < TOLERANCE, `${codec} at ${rate}: ${onset} instead of ${due}`);
      const frameCount = Math.ceil((2 * rate) / frameSamples);
      assert.equal(result.sourceSampleCount, (frameCount - 1) * frameSamples);
    }
  });
}

const FRAME_COUNT = 12;
const TONES_HZ = [700, 900];
const AMPLITUDE = 0.4;
/** The allowed error of 16-bit samples: the codec loses some precision, and a decoder rounds. */
const CODING_ERROR = 300;
const ROUNDING_ERROR = 1;

function toneOf(rate: number, frameSamples: number, channelCount: number): string {
  const tones = TONES_HZ.slice(0, channelCount).map((hz) => `${AMPLITUDE}*sin(2*PI*${hz}*t)`);
  return `aevalsrc='${tones.join('|')}':s=${rate}:d=${(FRAME_COUNT * frameSamples) / rate}`;
}

interface ToneSpec {
  readonly rate: number;
  readonly frameSamples: number;
  readonly frameCount: number;
  readonly hz: number;
}

/**
 * A sample of the tone. For the last frame, it is the transform's output, to which no following frame is
 * added.
 */
function toneSample(at: number, { rate, frameSamples, frameCount, hz }: ToneSpec): number {
  const plain = (index: number): number => 32_768 * AMPLITUDE * Math.sin((2 * Math.PI * hz * index) / rate);
  const lastStart = (frameCount - 1) * frameSamples;
  if (at < lastStart) return plain(at);
  const inLast = at - lastStart;
  const window = (index: number): number => Math.cos(((index + 0.5) * Math.PI) / (2 * frameSamples));
  const mirrored = frameSamples - 1 - inLast;
  const folded = window(inLast) * plain(at) + window(mirrored) * plain(lastStart + mirrored);
  return window(inLast) * folded;
}

async function splitToPcm(source: Uint8Array, ffmpegPath = samples.ffmpegPath): Promise<Buffer> {
  await using run = await startSplit(source, {
    ffmpegPath,
    cut: { mode: 'duration', segmentDurationSeconds: 10 },
    outputFormat: 'wav',
  });
  const result = await run.outcome;
  const [segment] = run.segments;
  assert.ok(segment !== undefined);
  const pcm = await decodeFile(segment.path, 's16le');
  assert.equal(result.sourceSampleCount, segment.sampleCount);
  return pcm;
}

function largestDifference(pcm: Buffer, expected: (index: number) => number): number {
  let largest = 0;
  for (let index = 0; index < pcm.length / 2; index += 1)
    largest = Math.max(largest, Math.abs(pcm.readInt16LE(2 * index) - expected(index)));
  return largest;
}

for (const codec of ['wmav1', 'wmav2'] as const) {
  test(`${codec} ends with its last frame, in every container and with any version of ffmpeg`, async () => {
    for (const [extension, rate, frameSamples] of [
      ['wma', 22_050, 1_024],
      ['wma', 32_000, codec === 'wmav1' ? 1_024 : 2_048],
      ['wma', 44_100, 2_048],
      ['wma', 48_000, 2_048],
      ['avi', 22_050, 1_024],
      ['mka', 44_100, 2_048],
      ['wav', 48_000, 2_048],
    ] as const) {
      for (const channelCount of [1, 2]) {
        const name = `${codec} of ${channelCount} channels at ${rate} in ${extension}`;
        const tone = toneOf(rate, frameSamples, channelCount);
        const path = await samples.make(`${name}.${extension}`, tone, '-c:a', codec, '-b:a', '128k');
        const source = await readFile(path);
        const pcm = await splitToPcm(source);
        assert.equal(pcm.length / 2 / channelCount, (FRAME_COUNT - 1) * frameSamples, name);
        const difference = largestDifference(pcm, (index) => {
          const hz = TONES_HZ[index % channelCount] ?? 0;
          const at = Math.floor(index / channelCount) + frameSamples;
          return toneSample(at, { rate, frameSamples, frameCount: FRAME_COUNT, hz });
        });
        assert.ok(difference < CODING_ERROR, `${name}: ${difference}`);
        if (samples.ffmpegPath === ofNpm) continue;
        const other = await splitToPcm(source, ofNpm);
        assert.equal(other.length, pcm.length, name);
        const rounding = largestDifference(pcm, (index) => other.readInt16LE(2 * index));
        assert.ok(rounding <= ROUNDING_ERROR, `${name}: ${rounding}`);
      }
    }
  });
}

const RATE_HZ = 44_100;
const FRAME_SAMPLES = 2_048;
const [TONE_HZ = 0] = TONES_HZ;
const STEADY_TONE = { rate: RATE_HZ, frameSamples: FRAME_SAMPLES, hz: TONE_HZ };
const BYTES_PER_SECOND = 8_000;
/** The decoder reads this many bits at this rate to find the first frame that begins in the block. */
const OFFSET_BITS = 13;
/** Less than a frame, so each frame continues in the next block. */
const BLOCK_BYTES = 360;

/** A silent frame, then all other frames; of the last one only the beginning. Blocks end within frames. */
function withReservoir(frames: readonly Buffer[]): readonly Buffer[] {
  const bitsOf = (bytes: Buffer): string =>
    [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const blocks: Buffer[] = [];
  let rest = '';
  for (const next of frames.map(bitsOf)) {
    const isFirst = blocks.length === 0;
    const head =
      (isFirst ? 2 : 1).toString(2).padStart(8, '0') + rest.length.toString(2).padStart(OFFSET_BITS, '0');
    const begun = head + rest + (isFirst ? '0' : '');
    const room = 8 * BLOCK_BYTES - begun.length;
    const bits = begun + next.slice(0, room);
    rest = next.slice(room);
    blocks.push(Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []));
  }
  return blocks;
}

test('wmav2 whose frames continue in the next block ends with its last frame, not with bytes that look like another', async () => {
  const tone = toneOf(RATE_HZ, FRAME_SAMPLES, 1);
  const encoded = ['-c:a', 'wmav2', '-b:a', String(8 * BYTES_PER_SECOND), '-map', '0:a', '-f', 'data'];
  const stream = await readFile(await samples.make('frames', tone, ...encoded));
  const frameBytes = stream.length / FRAME_COUNT;
  const frames = Array.from({ length: FRAME_COUNT }, (_, index) =>
    stream.subarray(index * frameBytes, (index + 1) * frameBytes),
  );
  const blocks = withReservoir([...frames, ...frames.slice(1, 2)]);
  for (const packetBytes of [500, 200]) {
    for (const isBroadcast of [false, true]) {
      const source = createWmaFile(blocks, {
        sampleRateHz: RATE_HZ,
        channelCount: 1,
        bytesPerSecond: BYTES_PER_SECOND,
        codecFlags: 3,
        packetBytes,
        isBroadcast,
      });
      const name = `packets of ${packetBytes} bytes${isBroadcast ? ', broadcast' : ''}`;
      const pcm = await splitToPcm(source);
      assert.equal(pcm.length / 2, FRAME_COUNT * FRAME_SAMPLES, name);
      // The tone begins in the first frame, which no codec reproduces well.
      const steady = pcm.subarray(2 * FRAME_SAMPLES);
      const difference = largestDifference(steady, (index) =>
        toneSample(index + FRAME_SAMPLES, { ...STEADY_TONE, frameCount: FRAME_COUNT }),
      );
      assert.ok(difference < CODING_ERROR, `${name}: ${difference}`);
    }
  }
});

test('wmav2 that breaks off within a packet ends with the last complete frame', async () => {
  const tone = toneOf(RATE_HZ, FRAME_SAMPLES, 1);
  const file = await readFile(await samples.make('whole.wma', tone, '-c:a', 'wmav2', '-b:a', '128k'));
  // The encoder of the test puts four frames of 743 bytes into a packet of 3,200.
  const packetsStart = Number(file.readBigUInt64LE(16)) + 50;
  for (const [byteCount, frameCount] of [
    [3_200, 4],
    [3_200 + 100, 4],
    [3_200 + 1_000, 5],
    [3_200 + 3_000, 7],
    [2 * 3_200 + 1_700, 10],
  ] as const) {
    const pcm = await splitToPcm(file.subarray(0, packetsStart + byteCount));
    assert.equal(pcm.length / 2, (frameCount - 1) * FRAME_SAMPLES, `${byteCount} bytes`);
    const difference = largestDifference(pcm, (index) =>
      toneSample(index + FRAME_SAMPLES, { ...STEADY_TONE, frameCount }),
    );
    assert.ok(difference < CODING_ERROR, `${byteCount} bytes: ${difference}`);
  }
});
