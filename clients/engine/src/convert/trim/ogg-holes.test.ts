import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { formatPage, type Page, parsePages } from '../../copy/ogg/testing/pages.ts';
import { createAudioSamples } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';

const RATE = 44_100;
const SAMPLE_COUNT = 3 * RATE;
/** The pages of the hole: in the middle of the stream, and adjacent. */
const HOLE = [14, 15];

const samples = forSuite(createAudioSamples);
const vorbis = forSuite(async () => {
  // A steady tone has only long blocks: a page contains as many samples as its position states.
  const path = await samples.make(
    'tone.ogg',
    `sine=r=${RATE}:d=3`,
    ...['-c:a', 'libvorbis', '-page_duration', '100000'],
  );
  return { bytes: await readFile(path) };
}, samples);

async function countOf(source: Buffer, outputFormat: 'wav' | undefined): Promise<number> {
  await using run = await startSplit(source, {
    cut: { mode: 'duration', segmentDurationSeconds: 1 },
    ...(outputFormat === undefined ? {} : { outputFormat }),
  });
  const { sourceSampleCount } = await run.outcome;
  const held = run.segments.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
  assert.equal(held, sourceSampleCount);
  return sourceSampleCount;
}

/** The number of samples on the hole's pages. */
function samplesInHole(pages: readonly Page[]): number {
  const positionOf = (index: number): number => pages[index]?.granulePosition ?? 0;
  return HOLE.reduce((sum, index) => sum + positionOf(index) - positionOf(index - 1), 0);
}

// The result of oggdec, and of ffmpeg from 5.1 on.
test('a Vorbis stream with holes gives all complete parts, and ends at the position of its last page', async () => {
  const pages = parsePages(vorbis.bytes);
  const whole = pages.map(formatPage);
  const isInHole = (index: number): boolean => HOLE.includes(index);
  const broken = new Map<string, Buffer[]>([
    ['lost', whole.filter((_, index) => !isInHole(index))],
    ['overwritten', whole.map((page, index) => (isInHole(index) ? Buffer.alloc(page.length) : page))],
    ['damaged', whole.map((page, index) => (isInHole(index) ? spoilt(page) : page))],
    // The first of them seems to extend over the data that follows.
    ['cut short', whole.map((page, index) => (isInHole(index) ? page.subarray(0, 100) : page))],
  ]);
  for (const [name, parts] of broken) {
    for (const outputFormat of [undefined, 'wav'] as const) {
      const due = SAMPLE_COUNT - samplesInHole(pages);
      assert.equal(await countOf(Buffer.concat(parts), outputFormat), due, `${name}, ${outputFormat}`);
    }
  }
});

test('a gap only in the page numbers loses nothing', async () => {
  const renumbered = parsePages(vorbis.bytes).map((page, index) =>
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
