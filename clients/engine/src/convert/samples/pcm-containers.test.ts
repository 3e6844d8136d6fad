import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJoined } from '../../copy/testing/ffmpeg.ts';
import { OUTPUT_FORMATS } from '../../formats/formats.ts';
import { createPcmFile, PCM_FILE_KINDS, type PcmSpec, pcmValues } from '../../testing/pcm-files.ts';
import { startSplit } from '../../testing/split-run.ts';

const CUT = { mode: 'duration', segmentDurationSeconds: 0.25 } as const;
/** All but the last have an odd number of bytes, in the source and in its segments. */
const SPECS: readonly PcmSpec[] = [
  { sampleCount: 4_001, channelCount: 1, sampleRateHz: 8_000, bits: 8 },
  { sampleCount: 4_003, channelCount: 3, sampleRateHz: 8_004, bits: 24 },
  { sampleCount: 4_001, channelCount: 2, sampleRateHz: 8_000, bits: 16 },
];

for (const kind of PCM_FILE_KINDS) {
  test(`${kind}: all of its samples without its padding, in its own format`, async () => {
    for (const spec of SPECS) {
      await using run = await startSplit(createPcmFile(kind, spec), {
        cut: CUT,
      });
      const result = await run.outcome;
      assert.deepEqual(
        [result.outputFormat, result.sourceSampleCount, result.sourceSampleRateHz],
        ['wav', spec.sampleCount, spec.sampleRateHz],
      );
      const joined = await decodeJoined(run.segments, 's24le');
      const values = Array.from({ length: joined.length / 3 }, (_, index) => joined.readIntLE(3 * index, 3));
      assert.deepEqual(values, pcmValues(spec));
    }
  });
}

test('an odd number of bytes from any container is converted to segments of any format', async () => {
  const [odd] = SPECS;
  assert.ok(odd !== undefined);
  for (const kind of ['wav', 'rifx', 'aiff'] as const) {
    for (const outputFormat of OUTPUT_FORMATS) {
      await using run = await startSplit(createPcmFile(kind, odd), {
        cut: CUT,
        outputFormat,
      });
      assert.equal((await run.outcome).sourceSampleCount, odd.sampleCount, `${kind} to ${outputFormat}`);
      const held = run.segments.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
      assert.equal(held, odd.sampleCount, `${kind} to ${outputFormat}`);
    }
  }
});
