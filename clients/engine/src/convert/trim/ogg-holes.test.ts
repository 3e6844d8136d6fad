import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { formatPage, type Page, parsePages } from '../../copy/ogg/testing/pages.ts';
import { type AudioSamples, createAudioSamples } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';

const RATE = 44_100;
const SAMPLE_COUNT = 3 * RATE;
/** In the middle of the stream, and neighbours. */
const HOLE = [14, 15];

let samples: AudioSamples;
let vorbis: Buffer;
before(async () => {
  samples = await createAudioSamples();
  // A steady tone has long blocks only: a page holds as many samples as its position says.
  const path = await samples.make(
    'tone.ogg',
    `sine=r=${RATE}:d=3`,
    ...['-c:a', 'libvorbis', '-page_duration', '100000'],
  );
  vorbis = await readFile(path);
});
after(() => samples[Symbol.asyncDispose]());

async function countOf(source: Buffer, outputFormat: 'wav' | undefined): Promise<number> {
  await using run = await startSplit(source, {
    ffmpegPath: samples.ffmpegPath,
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    ...(outputFormat === undefined ? {} : { outputFormat }),
  });
  const { sourceSampleCount } = await run.outcome;
  const held = run.segments.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
  assert.equal(held, sourceSampleCount);
  return sourceSampleCount;
}

/** How many samples the pages of the hole hold. */
function samplesInHole(pages: readonly Page[]): number {
  const positionOf = (index: number): number => pages[index]?.granulePosition ?? 0;
  return HOLE.reduce((sum, index) => sum + positionOf(index) - positionOf(index - 1), 0);
}

// What oggdec and ffmpeg from 5.1 on make of them.
test('a Vorbis stream with holes gives all that is whole, and ends where its last page says', async () => {
  const pages = parsePages(vorbis);
  const whole = pages.map(formatPage);
  const isInHole = (index: number): boolean => HOLE.includes(index);
  const broken = new Map<string, Buffer[]>([
    ['lost', whole.filter((_, index) => !isInHole(index))],
    ['overwritten', whole.map((page, index) => (isInHole(index) ? Buffer.alloc(page.length) : page))],
    ['damaged', whole.map((page, index) => (isInHole(index) ? spoilt(page) : page))],
    // The first of them seems to reach over what follows.
    ['cut short', whole.map((page, index) => (isInHole(index) ? page.subarray(0, 100) : page))],
  ]);
  for (const [name, parts] of broken) {
    for (const outputFormat of [undefined, 'wav'] as const) {
      const due = SAMPLE_COUNT - samplesInHole(pages);
      assert.equal(await countOf(Buffer.concat(parts), outputFormat), due, `${name}, ${outputFormat}`);
    }
  }
});

test('a gap in the numbers of pages alone loses nothing', async () => {
  const renumbered = parsePages(vorbis).map((page, index) =>
    formatPage({ ...page, sequence: page.sequence + (index < 12 ? 0 : 7) }),
  );
  for (const outputFormat of [undefined, 'wav'] as const)
    assert.equal(await countOf(Buffer.concat(renumbered), outputFormat), SAMPLE_COUNT);
});

function spoilt(page: Buffer): Buffer {
  const bytes = Buffer.from(page);
  bytes.writeUInt8(bytes.readUInt8(60) ^ 0xff, 60);
  return bytes;
}
