import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { createSource, runFfmpeg } from '../testing/ffmpeg.ts';
import {
  AUDIO,
  blockGroup,
  cluster,
  EBML,
  element,
  type Lacing,
  segment,
  simpleBlock,
  simpleTag,
  trackEntry,
  tracks,
  UNKNOWN,
  VIDEO,
} from '../testing/matroska.ts';
import { type OggContent, oggContent } from '../testing/ogg-packets.ts';
import { decodeAll, inChunks, splitBuffer } from '../testing/split-buffer.ts';
import { openMatroska } from './walker.ts';

const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const BASE = { sampleRateHz: 48_000, channelCount: 2, seconds: 5.3 } as const;
const TITLE = ['-metadata', 'title=Sweep'];
/** The same packets in Ogg and in Matroska. */
const SOURCES = {
  'matroska-opus': { encode: ['-c:a', 'libopus', ...TITLE], extension: 'opus', kept: 'ogg-opus' },
  'matroska-vorbis': { encode: ['-c:a', 'libvorbis', ...TITLE], extension: 'ogg', kept: 'ogg-vorbis' },
  'matroska-flac': {
    encode: ['-c:a', 'flac', '-sample_fmt', 's16', ...TITLE],
    extension: 'flac',
    kept: 'flac',
  },
} as const;
type Name = keyof typeof SOURCES;
const NAMES = Object.keys(SOURCES) as Name[];

const sources = new Map<Name, { readonly own: Buffer; readonly matroska: Buffer }>();
function sourceOf(name: Name): { readonly own: Buffer; readonly matroska: Buffer } {
  const source = sources.get(name);
  assert.ok(source);
  return source;
}
let opus: OggContent;

before(async () => {
  for (const name of NAMES) {
    const own = await createSource({ ...BASE, ...SOURCES[name] });
    const matroska = await runFfmpeg(
      ['-i', 'pipe:0', '-c', 'copy', ...TITLE, '-f', 'matroska', 'pipe:1'],
      own,
    );
    sources.set(name, { own, matroska });
  }
  opus = oggContent(sourceOf('matroska-opus').own);
});

describe('from a Matroska written by ffmpeg', () => {
  for (const name of NAMES) {
    test(`${name}: the segments equal those of the same packets in their own container`, async () => {
      const { own, matroska } = sourceOf(name);
      const { kept, extension } = SOURCES[name];
      const [whole = Buffer.alloc(0)] = await decodeAll([matroska], 'mkv', 's16le');
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(own.length / 2.5) } as const;
      for (const cut of [TWO_SECONDS, fileSize]) {
        const { result, segments, files } = await splitBuffer(name, matroska, cut);
        const expected = await splitBuffer(kept, own, cut);
        assert.equal(result.sourceSizeBytes, matroska.length);
        // This ffmpeg does not carry over the trimming of the last Vorbis page.
        assert.equal(result.sourceSampleCount, whole.length / 4);
        assert.deepEqual(
          segments.map((segment) => [segment.extension, segment.contentType]),
          segments.map(() => [extension, extension === 'flac' ? 'audio/flac' : 'audio/ogg']),
        );
        const decoded = await decodeAll(files, extension, 's16le');
        for (const file of files) assert.ok(file.includes('Sweep ('));
        assert.equal(Buffer.concat(decoded).length, whole.length);
        if (name !== 'matroska-opus') assert.ok(Buffer.concat(decoded).equals(whole));
        if (cut.mode === 'fileSize') {
          assert.ok(files.every((file) => file.length <= cut.maxFileSizeBytes));
          continue;
        }
        assert.deepEqual(
          segments.map((segment) => segment.startSample),
          expected.segments.map((segment) => segment.startSample),
        );
        assert.deepEqual(decoded, await decodeAll(expected.files, extension, 's16le'));
      }
    });

    test(`${name}: chunk boundaries make no difference`, async () => {
      const { matroska } = sourceOf(name);
      await assertAnyChunks({
        container: name,
        source: matroska,
        cut: TWO_SECONDS,
        maxChunkBytes: 30_000,
        numRuns: 8,
      });
    });
  }
});

const OPUS_TRACK = (): Buffer =>
  trackEntry({ number: 2, type: AUDIO, codecId: 'A_OPUS', codecPrivate: opus.packets[0] ?? Buffer.alloc(0) });
const VIDEO_TRACK = trackEntry({ number: 1, type: VIDEO, codecId: 'V_VP9' });
const audioPackets = (): readonly Buffer[] => opus.packets.slice(2);
/** The amount by which the last packet of the Ogg is cut. */
const DISCARD_NS = (): number =>
  Math.round(((audioPackets().length * 960 - opus.lastGranule) / 48_000) * 1e9);

/** Simple blocks of one packet each; the last one is in a group. */
function blocks(packets: readonly Buffer[], discardNs: number | undefined = DISCARD_NS()): readonly Buffer[] {
  return packets.map((packet, index) =>
    index === packets.length - 1 ? blockGroup(2, [packet], discardNs) : simpleBlock(2, [packet]),
  );
}

function webm(content: readonly Buffer[], size?: typeof UNKNOWN): Buffer {
  return Buffer.concat([EBML, segment([tracks(VIDEO_TRACK, OPUS_TRACK()), ...content], size)]);
}

async function expectSame(source: Buffer): Promise<void> {
  const expected = await splitBuffer('ogg-opus', sourceOf('matroska-opus').own, TWO_SECONDS);
  const { files, segments } = await splitBuffer('matroska-opus', source, TWO_SECONDS);
  assert.deepEqual(
    segments.map((segment) => segment.sampleCount),
    expected.segments.map((segment) => segment.sampleCount),
  );
  assert.deepEqual(
    files.map((file) => oggContent(file).packets.slice(2)),
    expected.files.map((file) => oggContent(file).packets.slice(2)),
  );
  assert.deepEqual(
    files.map((file) => oggContent(file).lastGranule),
    expected.files.map((file) => oggContent(file).lastGranule),
  );
}

describe('with any storage of the blocks', () => {
  test('every way of lacing', async () => {
    // Frames of equal size may be laced without sizes.
    const [last = Buffer.alloc(0), ...rest] = audioPackets().toReversed();
    for (const lacing of ['xiph', 'ebml', 'fixed'] as const satisfies readonly Lacing[]) {
      const laced: Buffer[] = [];
      let run: Buffer[] = [];
      for (const packet of rest.toReversed()) {
        const isFull = lacing === 'fixed' ? run[0]?.length !== packet.length : run.length === 7;
        if (run.length > 0 && isFull) {
          laced.push(simpleBlock(2, run, lacing));
          run = [];
        }
        run.push(packet);
      }
      laced.push(simpleBlock(2, run, lacing), ...blocks([last]));
      await expectSame(webm([cluster(laced)]));
    }
  });

  test('segments and clusters of unknown length, elements between them, and pictures between the sound', async () => {
    const all = blocks(audioPackets());
    const picture = simpleBlock(1, [Buffer.alloc(70_000, 7)]);
    const pictureGroup = element(
      0xa0,
      element(0xa1, Buffer.concat([Buffer.of(0x81, 0, 0, 0), Buffer.alloc(90_000)])),
    );
    const half = all.length >> 1;
    const first = [picture, ...all.slice(0, half), element(0xec, Buffer.alloc(20))];
    const second = [pictureGroup, ...all.slice(half), picture];
    const cues = element(0x1c53bb6b, Buffer.alloc(30));
    await expectSame(webm([cluster(first), cluster(second), cues]));
    await expectSame(webm([cluster(first, UNKNOWN), cluster(second, UNKNOWN), cues], UNKNOWN));
    await expectSame(webm([cluster(first, UNKNOWN), cues, cluster(second)], UNKNOWN));
  });

  test('pictures between the sound are not kept in memory', async () => {
    const chunkBytes = 20_000;
    // Sizes that make the headers drift across the chunk borders.
    const picture = simpleBlock(1, [Buffer.alloc(2 * chunkBytes - 7)]);
    const pictureGroup = element(0xa0, element(0xa1, Buffer.alloc(chunkBytes + 3, 0x81)));
    const passed = element(0xec, Buffer.alloc(chunkBytes));
    const sound = blocks(audioPackets());
    const beside = [picture, pictureGroup, passed];
    const sources = [
      ...beside.map((other) => webm([cluster(sound.flatMap((block) => [block, other]))])),
      ...beside.map((other) => webm(sound.map((block) => cluster([block, other])))),
      webm(sound.flatMap((block) => [cluster([block]), passed])),
    ];
    for (const source of sources) {
      const { mostChunksHeld } = await splitBuffer('matroska-opus', source, TWO_SECONDS, {
        chunkBytes: () => chunkBytes,
      });
      assert.ok(mostChunksHeld <= 8, `${mostChunksHeld} chunks`);
    }
  });

  test('the inaudible samples of the last Vorbis packet', async () => {
    const { own } = sourceOf('matroska-vorbis');
    const [identification = Buffer.alloc(0), comment = Buffer.alloc(0), setup = Buffer.alloc(0), ...packets] =
      oggContent(own).packets;
    const lengths = Buffer.of(2, identification.length, comment.length);
    assert.ok(comment.length < 255);
    const codecPrivate = Buffer.concat([lengths, identification, comment, setup]);
    const entry = trackEntry({ number: 2, type: AUDIO, codecId: 'A_VORBIS', codecPrivate });
    const whole = await splitBuffer('matroska-vorbis', sourceOf('matroska-vorbis').matroska, TWO_SECONDS);
    const expected = await splitBuffer('ogg-vorbis', own, TWO_SECONDS);
    const trimmed = whole.result.sourceSampleCount - expected.result.sourceSampleCount;
    assert.ok(trimmed > 0);
    const all = cluster(blocks(packets, Math.round((trimmed / 48_000) * 1e9)));
    const source = Buffer.concat([EBML, segment([tracks(entry), all])]);
    const { segments } = await splitBuffer('matroska-vorbis', source, TWO_SECONDS);
    assert.deepEqual(
      segments.map((part) => part.sampleCount),
      expected.segments.map((part) => part.sampleCount),
    );
  });

  test('tags of the whole file become comments, those of a part do not', async () => {
    const info = element(0x1549a966, element(0x7ba9, 'The whole'));
    const ofTrack = element(0x63c0, element(0x63c5, Buffer.of(9)));
    const tags = element(
      0x1254c367,
      Buffer.concat([
        element(0x7373, Buffer.concat([element(0x63c0), simpleTag('ARTIST', 'Ann\nB'), simpleTag('X', 'y')])),
        element(0x7373, Buffer.concat([ofTrack, simpleTag('ALBUM', 'part')])),
      ]),
    );
    const { files } = await splitBuffer(
      'matroska-opus',
      webm([info, tags, cluster(blocks(audioPackets()))]),
      TWO_SECONDS,
    );
    for (const [index, file] of files.entries()) {
      const comments = oggContent(file).packets[1]?.toString() ?? '';
      assert.match(comments, new RegExp(`TITLE=The whole \\(${index + 1}\\)`));
      assert.match(comments, /ARTIST=Ann B/);
      assert.doesNotMatch(comments, /part|X=/);
    }
  });

  test('of any number of tags only a limited number is kept', async () => {
    const megabyteOf = (tag: Buffer): Buffer =>
      element(0x1254c367, element(0x7373, Buffer.alloc(1_000_000 - (1_000_000 % tag.length), tag)));
    const title = element(0x1549a966, element(0x7ba9, 'x'.repeat(100_000)));
    for (const [tags, maxCount] of [
      [megabyteOf(simpleTag('', '')), 0],
      [megabyteOf(simpleTag('YEAR', '')), 30_000],
      [title, 10],
    ] as const) {
      const source = webm([...Array.from({ length: 12 }, () => tags), cluster(blocks(audioPackets()))]);
      const { signal } = new AbortController();
      await using reader = openByteReader(inChunks(source), { signal, onBytes: () => undefined });
      const { tags: kept } = await openMatroska(reader);
      assert.ok(kept.length <= maxCount, `${kept.length} tags`);
    }
  });

  test('a block truncated by the end of the source is dropped', async () => {
    const whole = webm([cluster(blocks(audioPackets(), undefined), UNKNOWN)], UNKNOWN);
    const { result } = await splitBuffer('matroska-opus', whole.subarray(0, -30), TWO_SECONDS);
    const preSkip = opus.packets[0]?.readUInt16LE(10) ?? 0;
    assert.equal(result.sourceSampleCount, (audioPackets().length - 1) * 960 - preSkip);
  });
});

test('a source that cannot be copied exactly is declined', async () => {
  const all = blocks(audioPackets());
  const good = webm([cluster(all)]);
  const track = (more: Buffer, codecPrivate?: Buffer): Buffer =>
    trackEntry({
      number: 2,
      type: AUDIO,
      codecId: 'A_OPUS',
      codecPrivate: codecPrivate ?? opus.packets[0] ?? Buffer.alloc(0),
      more,
    });
  const withTrack = (entry: Buffer): Buffer => Buffer.concat([EBML, segment([tracks(entry), cluster(all)])]);
  const [packet = Buffer.alloc(0)] = audioPackets();
  const declined: Readonly<Record<string, Buffer>> = {
    'sound left out midway': webm([cluster([blockGroup(2, [packet], 1_000_000), ...all])]),
    'more left out than there is': webm([cluster([blockGroup(2, [packet], 30_000_000)])]),
    'something put in': webm([cluster([blockGroup(2, [packet], -1_000_000)])]),
    'compressed frames': withTrack(track(element(0x6d80, Buffer.alloc(4)))),
    'no identification header': withTrack(track(Buffer.alloc(0), Buffer.alloc(0))),
    'another codec': withTrack(trackEntry({ number: 2, type: AUDIO, codecId: 'A_AAC' })),
    'no audio track': Buffer.concat([EBML, segment([tracks(VIDEO_TRACK), cluster(all)])]),
    'no tracks': Buffer.concat([EBML, segment([cluster(all)])]),
    'tracks told twice': Buffer.concat([
      EBML,
      segment([tracks(OPUS_TRACK()), tracks(OPUS_TRACK()), cluster(all)]),
    ]),
    'no cluster': Buffer.concat([EBML, segment([tracks(OPUS_TRACK())])]),
    'another file behind': Buffer.concat([good, good]),
    'an element that is not known': webm([cluster(all), element(0x4141, Buffer.alloc(9)), cluster(all)]),
    'a cluster that ends inside a block': webm([element(0x1f43b675, Buffer.concat(all), 1_000)]),
    'a lace longer than its block': webm([
      cluster([element(0xa3, Buffer.of(0x82, 0, 0, 2, 200, 255, 255, 255, 0))]),
    ]),
    'a lace that shrinks below nothing': webm([
      cluster([element(0xa3, Buffer.of(0x82, 0, 0, 6, 2, 0x81, 0x80, 1, 2, 3))]),
    ]),
    'frames of no size': webm([cluster([element(0xa3, Buffer.of(0x82, 0, 0, 4, 255))])]),
    'a block that says nothing': webm([cluster([element(0xa3, Buffer.of(0x82))])]),
    'a group without a block': webm([cluster([element(0xa0, element(0x9b, Buffer.of(1)))])]),
    'tracks of exabytes': Buffer.concat([EBML, segment([element(0x1654ae6b, '', 2 ** 47)])]),
    zeros: Buffer.concat([EBML, segment([tracks(OPUS_TRACK()), cluster(all), Buffer.alloc(100)])]),
  };
  await splitBuffer('matroska-opus', good, TWO_SECONDS);
  for (const [name, source] of Object.entries(declined)) {
    await assert.rejects(splitBuffer('matroska-opus', source, TWO_SECONDS), (error) => {
      assert.ok(error instanceof CopyNotPossibleError, `${name}: ${error}`);
      return true;
    });
  }
});
