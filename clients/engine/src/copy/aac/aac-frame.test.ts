import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findBox } from '../m4a/boxes.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { readHighBand } from './aac-frame.ts';
import { type BandWidths, bandWidths } from './scale-factor-bands.ts';

const GOLDEN = join(import.meta.dirname, '../../../suites/golden/he-aac');
const RATES_HZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const INDEX_OF_22050 = 7;

describe('the high band of AAC frames', () => {
  for (const [index, sampleRateHz] of RATES_HZ.entries()) {
    // The frames contain transients, noise substitution, temporal shaping and silence: every syntax that
    // ffmpeg writes.
    test(`every AAC-LC frame at ${sampleRateHz} Hz is read to its end, and has no high band`, async () => {
      const channelCount = index % 2 === 0 ? 2 : 1;
      const encode = ['-c:a', 'aac', '-b:a', '64k', '-f', 'adts'];
      const adts = await createSource({ seconds: 2, sampleRateHz, channelCount, encode, extension: 'aac' });
      const frames = adtsFrames(adts);
      assert.ok(frames.length > 10);
      for (const frame of frames) assert.deepEqual(readHighBand(frame, bandsAt(index)), [undefined]);
    });
  }

  for (const name of ['he-aac-v1', 'he-aac-v2']) {
    test(`${name}: the encoder's headers are found in every tenth frame`, async () => {
      const frames = await goldenFrames(name);
      const payloads = frames.map((frame) => readHighBand(frame, bandsAt(INDEX_OF_22050)));
      for (const [index, elements] of payloads.entries()) {
        assert.equal(elements?.length, 1);
        assert.notEqual(elements?.[0], undefined, `frame ${index}`);
        // This encoder codes the first envelope independently if there is a header.
        if (elements?.[0]?.hasHeader) assert.ok(elements[0].isIndependent, `frame ${index}`);
      }
      const headers = payloads.flatMap((elements, index) => (elements?.[0]?.hasHeader ? [index] : []));
      assert.ok(headers.includes(0));
      for (let frame = 0; frame + 10 < frames.length; frame++)
        assert.ok(headers.some((header) => header >= frame && header < frame + 11));
      assert.ok(headers.length < frames.length / 4);
    });
  }

  test('frames that are truncated or damaged are read or skipped, and nothing beyond them is read', async () => {
    const frames = await goldenFrames('he-aac-v1');
    const damage = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...frames), fc.nat(200), damage, (frame, length, changes) => {
        const damaged = Buffer.from(frame.subarray(0, length));
        for (const [at, value] of changes) if (at < damaged.length) damaged[at] = value;
        const elements = readHighBand(damaged, bandsAt(INDEX_OF_22050));
        assert.ok(elements === undefined || elements.length <= 8 * length);
      }),
      { numRuns: 3_000 },
    );
    for (const frame of frames) {
      // The end element is lost, and with it the preceding fill element.
      assert.equal(readHighBand(frame.subarray(0, -2), bandsAt(INDEX_OF_22050)), undefined);
    }
  });
});

function bandsAt(index: number): BandWidths {
  const bands = bandWidths(index);
  assert.ok(bands);
  return bands;
}

const ADTS_HEADER_BYTES = 7;

function adtsFrames(adts: Buffer): readonly Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < adts.length; ) {
    const end = at + ((adts.readUIntBE(at + 3, 3) >> 5) & 0x1fff);
    frames.push(adts.subarray(at + ADTS_HEADER_BYTES, end));
    at = end;
  }
  return frames;
}

/** The frames are contiguous after the header of `mdat`. */
async function goldenFrames(name: string): Promise<readonly Buffer[]> {
  const source = await readFile(join(GOLDEN, `${name}.m4a`));
  const tables = findBox(source, 'moov', 'trak', 'mdia', 'minf', 'stbl');
  const sizes = tables && findBox(tables, 'stsz');
  const offsets = tables && findBox(tables, 'stco');
  assert.ok(sizes && offsets);
  let at = offsets.readUInt32BE(8);
  return Array.from({ length: sizes.readUInt32BE(8) }, (_, frame) => {
    const start = at;
    at += sizes.readUInt32BE(12 + 4 * frame);
    return source.subarray(start, at);
  });
}
