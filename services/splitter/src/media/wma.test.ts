import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { type AudioSamples, createAudioSamples } from './testing/audio-samples.ts';
import { startSplit } from './testing/split-run.ts';

let samples: AudioSamples;
before(async () => {
  samples = await createAudioSamples();
});
after(() => samples[Symbol.asyncDispose]());

const ONSET_SECONDS = 0.5;
/** Within this, in samples: a codec's onset is not sharp, and a resampled one is still less. */
const TOLERANCE = 200;

/** The first sample that is heard, of one channel. */
async function onsetOf(path: string): Promise<number> {
  const pcm = await samples.decode(path, 's16le');
  for (let at = 0; at < pcm.length; at += 2) if (Math.abs(pcm.readInt16LE(at)) > 3_000) return at / 2;
  return Number.NaN;
}

for (const codec of ['wmav1', 'wmav2'] as const) {
  test(`${codec} begins behind the decoder's two frames, whichever ffmpeg decodes it, resampled or not`, async () => {
    for (const [rate, outputFormat, frameSamples] of [
      [44_100, 'wav', 2_048],
      [22_050, 'flac', 1_024],
      [16_000, 'wav', 512],
      [11_000, 'mp3', 512],
    ] as const) {
      const tone = `aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,${ONSET_SECONDS})':s=${rate}:d=2`;
      const path = await samples.make(`${codec}-${rate}.wma`, tone, '-c:a', codec, '-b:a', '64k');
      await using run = await startSplit(await readFile(path), {
        ffmpegPath: samples.ffmpegPath,
        cut: { mode: 'duration', segmentDurationSeconds: 10 },
        outputFormat,
      });
      const result = await run.outcome;
      const [segment] = run.segments;
      assert.ok(segment !== undefined);
      // The encoder of the test has one frame of priming, the decoder allows for two as Microsoft's has.
      const due = ((ONSET_SECONDS * rate - frameSamples) / rate) * segment.sampleRateHz;
      const onset = await onsetOf(segment.path);
      assert.ok(Math.abs(onset - due) < TOLERANCE, `${codec} at ${rate}: ${onset} instead of ${due}`);
      // ffmpeg of 2018 does not give the last frame, a later one does.
      const frameCount = Math.ceil((2 * rate) / frameSamples);
      const missing = (frameCount - 1) * frameSamples - result.sourceSampleCount;
      assert.ok(missing === 0 || missing === frameSamples, `${result.sourceSampleCount} samples`);
    }
  });
}
