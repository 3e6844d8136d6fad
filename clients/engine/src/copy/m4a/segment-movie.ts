import type { AudioTrack } from './audio-track.ts';
import { createBox, uint32 } from './boxes.ts';

/**
 * A segment's position in its track: frames by index, audible samples counted from the first frame's first
 * sample.
 */
export interface SegmentSpan {
  /** The first frame stored, preroll included. */
  readonly firstFrame: number;
  readonly endFrame: number;
  readonly startSample: number;
  readonly endSample: number;
}

/** What a `moov` is made from. */
interface MovieParts {
  readonly track: AudioTrack;
  readonly span: SegmentSpan;
  /** Of the frames, in bytes: four bytes each. */
  readonly sizes: Buffer;
  readonly tags: Buffer;
}

const MAX_32_BIT = 0xffffffff;
const UNITY_MATRIX = uint32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const FILE_TYPE = createBox('ftyp', Buffer.from('M4A \0\0\x02\0M4A isomiso2mp42', 'latin1'));
const MAX_STTS_ENTRIES = 2;
const STTS_ENTRY_BYTES = 8;

/**
 * Everything before a segment's frames: `ftyp`, a `moov` whose edit list hides the preroll and shortens the
 * last frame, and the header of `mdat`, which holds all frames as one chunk. All times are in samples, so
 * lengths are exact.
 */
export function createSegmentMovie(track: AudioTrack, span: SegmentSpan, tags: Buffer): Buffer {
  const sizes = Buffer.alloc(4 * (span.endFrame - span.firstFrame));
  let frameBytes = 0;
  for (let frame = span.firstFrame; frame < span.endFrame; frame++) {
    const size = track.frameBytes(frame);
    sizes.writeUInt32BE(size, 4 * (frame - span.firstFrame));
    frameBytes += size;
  }
  const mediaHeader = createMediaHeader(frameBytes);
  const movieAt = (chunkOffset: number): Buffer => createMovie({ track, span, sizes, tags }, chunkOffset);
  const chunkOffset = FILE_TYPE.length + movieAt(0).length + mediaHeader.length;
  return Buffer.concat([FILE_TYPE, movieAt(chunkOffset), mediaHeader]);
}

/**
 * The maximum size of `createSegmentMovie`'s result for a span without frames. Each frame adds its size and
 * its table entries.
 */
export function maxEmptyMovieBytes(track: AudioTrack, tags: Buffer): number {
  const empty = { firstFrame: 0, endFrame: 0, startSample: 0, endSample: 0 };
  return createSegmentMovie(track, empty, tags).length + MAX_STTS_ENTRIES * STTS_ENTRY_BYTES;
}

function createMovie(parts: MovieParts, chunkOffset: number): Buffer {
  const { track, span, tags } = parts;
  const baseSample = span.firstFrame * track.config.frameSamples;
  const duration = span.endSample - span.startSample;
  const mediaDuration = span.endSample - baseSample;
  const isLong = mediaDuration > MAX_32_BIT;
  const version = uint32(isLong ? 0x01000000 : 0);
  const trackFlags = uint32((isLong ? 0x01000000 : 0) | 7);
  const time = (value: number): Buffer =>
    isLong ? uint32(Math.floor(value / 2 ** 32), value % 2 ** 32) : uint32(value);
  const created = Buffer.alloc(isLong ? 16 : 8);
  const language = Buffer.alloc(4);
  language.writeUInt16BE(track.language);

  return createBox(
    'moov',
    createBox(
      'mvhd',
      ...[version, created, uint32(track.sampleRateHz), time(duration)],
      ...[uint32(0x10000, 0x01000000, 0, 0), UNITY_MATRIX, Buffer.alloc(24), uint32(2)],
    ),
    createBox(
      'trak',
      createBox(
        'tkhd',
        ...[trackFlags, created, uint32(1, 0), time(duration)],
        ...[uint32(0, 0, 0, 0x01000000), UNITY_MATRIX, uint32(0, 0)],
      ),
      createBox(
        'edts',
        createBox(
          'elst',
          version,
          uint32(1),
          time(duration),
          time(span.startSample - baseSample),
          uint32(0x10000),
        ),
      ),
      createBox(
        'mdia',
        createBox('mdhd', version, created, uint32(track.sampleRateHz), time(mediaDuration), language),
        createBox('hdlr', uint32(0, 0), Buffer.from('soun'), Buffer.alloc(12), Buffer.from('SoundHandler\0')),
        createBox(
          'minf',
          createBox('smhd', uint32(0, 0)),
          createBox('dinf', createBox('dref', uint32(0, 1), createBox('url ', uint32(1)))),
          createSampleTables(parts, mediaDuration, chunkOffset),
        ),
      ),
    ),
    tags,
  );
}

function createSampleTables(
  { track, span, sizes }: MovieParts,
  mediaDuration: number,
  chunkOffset: number,
): Buffer {
  const frameCount = sizes.length / 4;
  const { frameSamples } = track.config;
  const lastFrameSamples = mediaDuration - (frameCount - 1) * frameSamples;
  const times =
    frameCount === 0
      ? uint32(0, 0)
      : frameCount === 1
        ? uint32(0, 1, 1, lastFrameSamples)
        : uint32(0, 2, frameCount - 1, frameSamples, 1, lastFrameSamples);
  return createBox(
    'stbl',
    createBox('stsd', track.sampleDescription),
    createBox('stts', times),
    createBox('stsc', uint32(0, 1, 1, frameCount, 1)),
    createBox('stsz', uint32(0, 0, frameCount), sizes),
    createBox('stco', uint32(0, 1, chunkOffset)),
    ...createSyncTable(track, span),
    ...track.rollGroups(frameCount),
  );
}

/**
 * The first frame, and those that the source lists. Without the box all frames count, which is right for most
 * AAC.
 */
function createSyncTable(track: AudioTrack, { firstFrame, endFrame }: SegmentSpan): readonly Buffer[] {
  if (track.config.entry.kind !== 'independent') return [];
  const entries: Buffer[] = [];
  for (let frame = firstFrame; frame < endFrame; frame++)
    if (frame === firstFrame || track.isSync(frame)) entries.push(uint32(frame - firstFrame + 1));
  return [createBox('stss', uint32(0, entries.length), Buffer.concat(entries))];
}

/** The maximum that a frame adds to a segment in addition to its own bytes. */
export function frameTableBytes({ config }: Pick<AudioTrack, 'config'>): number {
  return config.entry.kind === 'independent' ? 8 : 4;
}

function createMediaHeader(frameBytes: number): Buffer {
  const sizeBytes = 8 + frameBytes;
  if (sizeBytes <= MAX_32_BIT) return Buffer.concat([uint32(sizeBytes), Buffer.from('mdat')]);
  const long = sizeBytes + 8;
  return Buffer.concat([uint32(1), Buffer.from('mdat'), uint32(Math.floor(long / 2 ** 32), long % 2 ** 32)]);
}
