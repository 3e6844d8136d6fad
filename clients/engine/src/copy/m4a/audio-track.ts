import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { readAacConfig } from './aac-config.ts';
import type { AacConfig } from './audio-specific-config.ts';
import { findBox, firstBox } from './boxes.ts';
import { readRollGroups } from './roll-groups.ts';
import { readSyncTable } from './sync-table.ts';
import { readTrimming } from './trimming.ts';

/**
 * The AAC track of a movie. Its tables remain in the `moov` box and are not unpacked, so memory is bounded by
 * the size of that box. Every count is checked against the available bytes.
 */
export interface AudioTrack {
  /**
   * Of the core: a high band doubles the rate of the decoded audio, but not that of anything counted here.
   */
  readonly sampleRateHz: number;
  /** In the tables, which may count time at the output rate. */
  readonly ticksPerSample: 1 | 2;
  readonly config: AacConfig;
  readonly frameCount: number;
  /** First and last-plus-one audible sample, counted from the first frame's first sample. */
  readonly audibleStart: number;
  readonly audibleEnd: number;
  /** The `stsd` box's body, repeated in every segment. */
  readonly sampleDescription: Buffer;
  /** ISO 639-2 code packed into 15 bits. */
  readonly language: number;
  frameBytes(frameIndex: number): number;
  /** Whether a decoder may begin with this frame according to the tables. */
  isSync(frameIndex: number): boolean;
  /** Boxes that state, for that many frames, which earlier frames a decoder needs. */
  rollGroups(frameCount: number): readonly Buffer[];
  /** The track's frames in decoding order, in groups of adjacent frames. */
  chunks(): Generator<FrameChunk>;
}

interface FrameChunk {
  /** Position in the source. */
  readonly offset: number;
  readonly frameCount: number;
}

const MAX_FRAME_BYTES = 64 * 1024;
/** The maximum that the largest `moov` box could list. */
const MAX_FRAMES_OF_ONE_SIZE = 16 * 1024 * 1024;
/** It is repeated in every segment; an AAC description takes about 100 bytes. */
const MAX_DESCRIPTION_BYTES = 4096;

/** Throws CopyNotPossibleError for anything but one track of AAC. */
export function readAudioTrack(moov: Buffer): AudioTrack {
  try {
    return parseTrack(moov);
  } catch (error) {
    if (error instanceof RangeError)
      throw new CopyNotPossibleError('a table of the movie is cut short', { cause: error });
    throw error;
  }
}

function parseTrack(moov: Buffer): AudioTrack {
  if (findBox(moov, 'mvex') !== undefined) throw new CopyNotPossibleError('the movie is fragmented');
  const track = firstBox(
    moov,
    ({ type, body }) =>
      type === 'trak' && findBox(body, 'mdia', 'hdlr')?.toString('latin1', 8, 12) === 'soun',
  )?.body;
  if (track === undefined) throw unsupportedMedia('The source holds no audio track.');
  const mediaHeader = required(findBox(track, 'mdia', 'mdhd'), 'mdhd');
  const isLong = mediaHeader[0] === 1;
  const timescale = mediaHeader.readUInt32BE(isLong ? 20 : 12);
  const tables = required(findBox(track, 'mdia', 'minf', 'stbl'), 'stbl');
  const sampleDescription = required(findBox(tables, 'stsd'), 'stsd');
  if (sampleDescription.length > MAX_DESCRIPTION_BYTES)
    throw new CopyNotPossibleError('the stsd box is too large');
  const config = readAacConfig(sampleDescription);
  const ticksPerSample = readTicksPerSample(config, timescale);

  const sizes = required(findBox(tables, 'stsz'), 'stsz');
  const frameCount = sizes.readUInt32BE(8);
  // In digital silence all frames have one size, and there is no table.
  const commonFrameBytes = sizes.readUInt32BE(4);
  const isTableWhole =
    commonFrameBytes === 0 ? 12 + 4 * frameCount <= sizes.length : frameCount <= MAX_FRAMES_OF_ONE_SIZE;
  if (!isTableWhole) throw new CopyNotPossibleError('the size table is cut short');
  if (frameCount === 0) throw unsupportedMedia('The audio track holds no frames.');
  const times = required(findBox(tables, 'stts'), 'stts');
  const totalTicks = readTotalTicks(times, frameCount, config.frameSamples * ticksPerSample, timescale);
  const { audibleStart, audibleEnd } = readTrimming(moov, track, timescale, totalTicks);
  const frameBytes = (frameIndex: number): number =>
    commonFrameBytes === 0 ? sizes.readUInt32BE(12 + 4 * frameIndex) : commonFrameBytes;
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
    const sizeBytes = frameBytes(frameIndex);
    if (sizeBytes > MAX_FRAME_BYTES) throw new CopyNotPossibleError('an AAC frame is too large');
    if (sizeBytes === 0) throw new CopyNotPossibleError('an AAC frame is empty');
  }
  return {
    sampleRateHz: config.coreRateHz,
    ticksPerSample,
    config,
    frameCount,
    audibleStart: Math.floor(audibleStart / ticksPerSample),
    audibleEnd: Math.ceil(audibleEnd / ticksPerSample),
    sampleDescription,
    language: mediaHeader.readUInt16BE(isLong ? 32 : 20),
    frameBytes,
    isSync: readSyncTable(tables),
    rollGroups: readRollGroups(tables, frameCount),
    chunks: readChunkTables(tables, frameCount),
  };
}

/** If a track has a high band, its time may be counted in samples of the core or of the output. */
function readTicksPerSample({ coreRateHz, highBand }: AacConfig, timescale: number): 1 | 2 {
  if (timescale === coreRateHz) return 1;
  if (highBand !== 'absent' && timescale === 2 * coreRateHz) return 2;
  throw new CopyNotPossibleError('time is not counted in samples');
}

/**
 * Every frame must last `frameTicks`, and the last at most that. If the track comes from a container that
 * counts in milliseconds, the table gives single frames slightly wrong durations, which do not accumulate. In
 * that case the frames are counted, and an end within a millisecond of the last frame's end is taken as that
 * end.
 */
function readTotalTicks(
  times: Buffer,
  frameCount: number,
  frameTicks: number,
  ticksPerSecond: number,
): number {
  const entryCount = times.readUInt32BE(4);
  const millisecond = Math.ceil(ticksPerSecond / 1000);
  let frames = 0;
  /** By how much the table's durations of the frames so far exceed their real durations. */
  let surplus = 0;
  let isRounded = false;
  for (let entry = 0; entry < entryCount; entry++) {
    const count = times.readUInt32BE(8 + 8 * entry);
    const excess = times.readUInt32BE(12 + 8 * entry) - frameTicks;
    frames += count;
    const innerCount = frames === frameCount && count > 0 ? count - 1 : count;
    isRounded ||= innerCount > 0 && excess !== 0;
    if (Math.abs(surplus + innerCount * excess) > millisecond)
      throw new CopyNotPossibleError('AAC frames of unusual length');
    surplus += count * excess;
  }
  if (frames !== frameCount) throw new CopyNotPossibleError('the time and size tables disagree');
  if (surplus > (isRounded ? millisecond : 0) || surplus < -frameTicks)
    throw new CopyNotPossibleError('AAC frames of unusual length');
  const isWhole = isRounded && surplus >= -millisecond;
  return frameCount * frameTicks + (isWhole ? 0 : surplus);
}

/** `stsc` lists runs of chunks with equally many frames; `stco` or `co64` list where each chunk begins. */
function readChunkTables(tables: Buffer, frameCount: number): () => Generator<FrameChunk> {
  const runs = required(findBox(tables, 'stsc'), 'stsc');
  const offsets32 = findBox(tables, 'stco');
  const offsets = required(offsets32 ?? findBox(tables, 'co64'), 'stco');
  const runCount = runs.readUInt32BE(4);
  const chunkCount = offsets.readUInt32BE(4);
  const offsetBytes = offsets32 === undefined ? 8 : 4;
  if (runCount === 0 || 8 + 12 * runCount > runs.length || 8 + offsetBytes * chunkCount > offsets.length) {
    throw new CopyNotPossibleError('the chunk tables are cut short');
  }
  const chunkOffset = (chunk: number): number =>
    offsetBytes === 8 ? Number(offsets.readBigUInt64BE(8 + 8 * chunk)) : offsets.readUInt32BE(8 + 4 * chunk);
  return () => readChunks({ runs, runCount, chunkCount, chunkOffset }, frameCount);
}

interface ChunkTables {
  /** The body of `stsc` with all its entries. */
  readonly runs: Buffer;
  readonly runCount: number;
  readonly chunkCount: number;
  chunkOffset(chunk: number): number;
}

function* readChunks(
  { runs, runCount, chunkCount, chunkOffset }: ChunkTables,
  frameCount: number,
): Generator<FrameChunk> {
  let run = 0;
  let framesLeft = frameCount;
  for (let chunk = 0; chunk < chunkCount && framesLeft > 0; chunk++) {
    while (run + 1 < runCount && runs.readUInt32BE(8 + 12 * (run + 1)) <= chunk + 1) run += 1;
    const framesInChunk = Math.min(framesLeft, runs.readUInt32BE(8 + 12 * run + 4));
    if (framesInChunk === 0) continue;
    yield { offset: chunkOffset(chunk), frameCount: framesInChunk };
    framesLeft -= framesInChunk;
  }
  if (framesLeft > 0) throw new CopyNotPossibleError('the chunk and size tables disagree');
}

function required(box: Buffer | undefined, type: string): Buffer {
  if (box === undefined) throw new CopyNotPossibleError(`the movie has no ${type} box`);
  return box;
}
