import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { SegmentTags } from '../../copy/copy-contract.ts';
import { readAllTags } from '../../copy/testing/read-tags.ts';
import type { Cut } from '../../cuts/cut.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../formats/formats.ts';
import type { FinishedSegment } from '../../media.ts';
import { createAudioSamples, sound } from '../../testing/audio-samples.ts';
import { runConversion } from '../../testing/conversion-run.ts';
import type { ConvertOptions } from '../conversion.ts';

const RATE = 44_100;
/** Long enough that each title has its own segment. */
const SECONDS = 6.5;
const TITLES = [
  'Part; one = two # three \\ four',
  'two\nlines',
  'x'.repeat(500),
  undefined,
  '日😀'.repeat(166),
  '-y nul\0within',
];
const tagsOf = (index: number): SegmentTags => ({
  title: TITLES[index % TITLES.length],
  track: index + 101,
  trackCount: 1_234,
});
const CUTS = [
  { mode: 'duration', segmentDurationSeconds: 1 },
  { mode: 'fileSize', maxFileSizeBytes: 65_536 },
] as const satisfies readonly Cut[];
const SOURCE_TAGS = ['-metadata', 'title=Sea; = Tones', '-metadata', 'artist=Ä', '-metadata', 'track=7/9'];

const samples = forSuite(createAudioSamples);

type Given = Pick<ConvertOptions, 'tagsOf'> & {
  readonly cut: Cut;
  readonly outputFormat: OutputFormat;
  readonly isLocal?: boolean;
  readonly resumeAt?: ConvertOptions['resumeAt'];
};

interface ConvertedSegment extends FinishedSegment {
  readonly file: Buffer;
}

async function convert(
  path: string,
  { isLocal = false, ...given }: Given,
): Promise<readonly ConvertedSegment[]> {
  const bytes = await readFile(path);
  await using run = await runConversion(bytes, {
    ...given,
    ...(isLocal ? { file: { path, sizeBytes: bytes.length } } : {}),
  });
  return await Promise.all(
    run.segments.map(async (segment) => ({ ...segment, file: await readFile(segment.path) })),
  );
}

async function assertOwnTags(
  segments: readonly ConvertedSegment[],
  sourceTitle: string | undefined,
  artist: string | undefined,
): Promise<void> {
  assert.ok(segments.length > 1);
  const [{ extension } = assert.fail()] = segments;
  const tagsOfFiles = await readAllTags(
    segments.map(({ file }) => file),
    extension,
  );
  for (const [position, { index }] of segments.entries()) {
    const tags = tagsOfFiles[position] ?? assert.fail();
    const fallback = sourceTitle === undefined ? undefined : `${sourceTitle} (${index + 101})`;
    assert.equal(tags.get('title'), TITLES[index % TITLES.length]?.replace('\0', ' ') ?? fallback);
    const [track, count = tags.get('tracktotal')] = tags.get('track')?.split('/') ?? [];
    assert.deepEqual([track, count], [String(index + 101), '1234'], extension);
    assert.equal(tags.get('artist'), artist);
  }
}

for (const outputFormat of OUTPUT_FORMATS) {
  // Covers C-3.5 C-8.10 C-8.11
  test(`${outputFormat}: converted segments have their own title and track, within their ceiling`, async () => {
    const tone = sound(RATE, SECONDS, 'stereo');
    const tagged = await samples.make('tagged.mka', tone, '-c:a', 'pcm_s16le', ...SOURCE_TAGS);
    const bare = await samples.make('bare.wav', tone, '-fflags', '+bitexact');
    for (const cut of CUTS) {
      const ofTagged = await convert(tagged, { cut, outputFormat, tagsOf });
      await assertOwnTags(ofTagged, 'Sea; = Tones', 'Ä');
      await assertOwnTags(await convert(bare, { cut, outputFormat, tagsOf }), undefined, undefined);
      if (cut.mode !== 'fileSize') continue;
      for (const { index, sizeBytes } of ofTagged) {
        assert.ok(sizeBytes <= cut.maxFileSizeBytes);
        // In mp3 and wav every segment has room for the longest title.
        if (index < ofTagged.length - 1) assert.ok(sizeBytes > 60_000, `${index}: ${sizeBytes}`);
      }
    }
  });

  test(`${outputFormat}: segments without their own tags are unchanged`, async () => {
    const path = await samples.make(
      'same.mka',
      sound(RATE, 3, 'stereo'),
      '-c:a',
      'pcm_s16le',
      ...SOURCE_TAGS,
    );
    for (const cut of CUTS) {
      const plain = await convert(path, { cut, outputFormat });
      const without = await convert(path, { cut, outputFormat, tagsOf: () => undefined });
      assert.deepEqual(
        without.map(({ file }) => file),
        plain.map(({ file }) => file),
      );
    }
  });
}

// Covers C-8.12
test('segments of pieces have their own tags too, and the cover is kept', async () => {
  const tone = sound(RATE, SECONDS, 'stereo');
  const picture = await samples.make('cover.png', 'color=red:s=16x16:d=1', '-frames:v', '1');
  const path = await samples.make(
    'covered.mp3',
    tone,
    ...['-i', picture, '-map', '0', '-map', '1', '-c:v', 'copy', '-disposition:v', 'attached_pic'],
    ...SOURCE_TAGS,
  );
  for (const outputFormat of ['mp3', 'flac', 'aac', 'ogg'] as const) {
    for (const cut of CUTS) {
      const segments = await convert(path, { cut, outputFormat, tagsOf, isLocal: true });
      await assertOwnTags(segments, 'Sea; = Tones', 'Ä');
      if (outputFormat === 'ogg') continue;
      const cover = await readFile(picture);
      for (const { file } of segments) assert.ok(file.includes(cover), outputFormat);
    }
  }
});

test('segments that continue after copied ones have their tags', async () => {
  const path = await samples.make(
    'resumed.mka',
    sound(RATE, SECONDS + 2, 'stereo'),
    '-c:a',
    'flac',
    ...SOURCE_TAGS,
  );
  const resumeAt = { index: 2, startSample: 2 * RATE, sampleRateHz: RATE };
  for (const outputFormat of ['mp3', 'flac', 'ogg'] as const) {
    for (const cut of CUTS) {
      const segments = await convert(path, { cut, outputFormat, tagsOf, resumeAt });
      assert.equal(segments[0]?.index, 2);
      await assertOwnTags(segments, 'Sea; = Tones', 'Ä');
    }
  }
});
