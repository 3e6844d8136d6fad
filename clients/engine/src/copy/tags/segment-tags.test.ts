import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { CopyContainer, SegmentTags } from '../copy-contract.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { readAllTags } from '../testing/read-tags.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';

const OTHERS = { artist: 'Ä; =\nB', album: 'Waves' };
const SOURCE_TAGS = Object.entries({ ...OTHERS, title: 'Sea = Tones', track: '7/9' }).flatMap(
  ([name, value]) => ['-metadata', `${name}=${value}`],
);
const TITLES = [
  'Part; one = two # three \\ four',
  'two\nlines',
  'Ünder 日本 😀👩‍👩‍👧',
  'x'.repeat(500),
  '日'.repeat(500),
  undefined,
  'nul\0within',
];
const TRACKS = 7;
/** Numbers that differ from the index, so that they cannot be derived from it. */
const tagsOf = (index: number): SegmentTags => ({
  title: TITLES[index],
  track: index + 101,
  trackCount: 1_234,
});

interface Format {
  readonly container: CopyContainer;
  readonly extension: string;
  /** The segments' format. */
  readonly written?: string;
  readonly encode: readonly string[];
}

const FORMATS: readonly Format[] = [
  { container: 'mp3', extension: 'mp3', encode: ['-c:a', 'libmp3lame'] },
  { container: 'mp3', extension: 'mp3', encode: ['-c:a', 'libmp3lame', '-id3v2_version', '3'] },
  { container: 'wav', extension: 'wav', encode: [] },
  { container: 'flac', extension: 'flac', encode: [] },
  { container: 'ogg-vorbis', extension: 'ogg', encode: ['-c:a', 'libvorbis'] },
  { container: 'ogg-opus', extension: 'opus', encode: ['-c:a', 'libopus'] },
  { container: 'm4a', extension: 'm4a', encode: ['-c:a', 'aac', '-b:a', '128k'] },
  { container: 'ogg-flac', extension: 'ogg', written: 'flac', encode: ['-c:a', 'flac'] },
  { container: 'matroska-opus', extension: 'mka', written: 'opus', encode: ['-c:a', 'libopus'] },
  { container: 'matroska-vorbis', extension: 'mka', written: 'ogg', encode: ['-c:a', 'libvorbis'] },
  { container: 'matroska-flac', extension: 'mka', written: 'flac', encode: ['-c:a', 'flac'] },
  { container: 'caf-opus', extension: 'caf', written: 'opus', encode: ['-c:a', 'libopus'] },
];
const CUTS = [
  { mode: 'duration', segmentDurationSeconds: 1 },
  { mode: 'fileSize', maxFileSizeBytes: 65_536 },
] as const;

function assertTrack(tags: ReadonlyMap<string, string>, index: number): void {
  const [track, count = tags.get('tracktotal')] = tags.get('track')?.split('/') ?? [];
  assert.deepEqual([track, count], [String(index + 101), '1234']);
}

for (const { container, extension, written = extension, encode } of FORMATS) {
  describe(`segment tags: ${container} ${encode.at(-1) ?? ''}`, () => {
    let tagged: Buffer = Buffer.alloc(0);
    let bare: Buffer = Buffer.alloc(0);

    before(async () => {
      const spec = { seconds: 7, sampleRateHz: 48_000, channelCount: 2, extension } as const;
      tagged = await createSource({ ...spec, encode: [...encode, ...SOURCE_TAGS] });
      bare = await createSource({
        ...spec,
        encode: [...encode, '-map_metadata', '-1', '-fflags', '+bitexact'],
      });
    });

    // Covers C-8.10 C-8.11 C-8.12
    test('titles are exact, tracks are counted, and the other tags are kept', async () => {
      const { files } = await splitBuffer(container, tagged, CUTS[0], { tagsOf });
      assert.equal(files.length, TRACKS);
      const keepsOthers = !container.startsWith('caf');
      for (const [index, tags] of (await readAllTags(files, written)).entries()) {
        const expected = TITLES[index]?.replace('\0', ' ') ?? `Sea = Tones (${index + 101})`;
        if (TITLES[index] !== undefined || keepsOthers) assert.equal(tags.get('title'), expected);
        assertTrack(tags, index);
        // Values from Matroska lose their control characters.
        const artist = written === extension || container === 'ogg-flac' ? OTHERS.artist : 'Ä; = B';
        if (keepsOthers) assert.deepEqual([tags.get('artist'), tags.get('album')], [artist, OTHERS.album]);
      }
    });

    test('a source without tags gets only the given ones', async () => {
      const { files } = await splitBuffer(container, bare, CUTS[0], { tagsOf });
      for (const [index, tags] of (await readAllTags(files, written)).entries()) {
        assert.equal(tags.get('title'), TITLES[index]?.replace('\0', ' '));
        assertTrack(tags, index);
      }
    });

    test('the sound is unchanged by tags, and so is the file if there are none', async () => {
      const plain = await splitBuffer(container, tagged, CUTS[0]);
      const without = await splitBuffer(container, tagged, CUTS[0], { tagsOf: () => undefined });
      assert.deepEqual(without.files, plain.files);
      const own = await splitBuffer(container, tagged, CUTS[0], { tagsOf });
      const sound = await decodeAll(plain.files, written, 's16le');
      assert.deepEqual(await decodeAll(own.files, written, 's16le'), sound);
    });

    // Covers C-2.5 C-3.5
    test('no file exceeds its ceiling, and none is far below it', async () => {
      const { segments, files } = await splitBuffer(container, tagged, CUTS[1], { tagsOf });
      const tagsOfFiles = await readAllTags(files, written);
      for (const [index, { sizeBytes }] of segments.entries()) {
        assert.ok(sizeBytes <= 65_536, `${index}: ${sizeBytes}`);
        if (index < segments.length - 1) assert.ok(sizeBytes > 60_000, `${index}: ${sizeBytes}`);
        const tags = tagsOfFiles[index] ?? assert.fail();
        if (TITLES[index] !== undefined) assert.equal(tags.get('title'), TITLES[index]?.replace('\0', ' '));
        assertTrack(tags, index);
      }
    });
  });
}

test('raw AAC has no tags', async () => {
  const encode = ['-c:a', 'aac', '-f', 'adts'];
  const source = await createSource({
    seconds: 3,
    sampleRateHz: 44_100,
    channelCount: 1,
    extension: 'aac',
    encode,
  });
  const own = await splitBuffer('adts', source, CUTS[0], { tagsOf });
  assert.deepEqual(own.files, (await splitBuffer('adts', source, CUTS[0])).files);
});
