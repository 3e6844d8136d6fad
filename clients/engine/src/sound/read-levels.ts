/**
 * The levels of any stretch of a source on this machine.
 *
 * A short stretch is decoded alone. How its beginning is found depends on the container:
 *
 * - WAV of plain samples: by arithmetic, without a decoder.
 * - mp3, ADTS and Matroska: by an index of their frames (`frame-index.ts`) or clusters (`cluster-index.ts`),
 *   from which the decoder is fed. ffmpeg's own seek uses a table of a hundred points, the mean bitrate, or
 *   rounded times.
 * - FLAC, Ogg, MP4 and CAF: by ffmpeg, which uses the positions in the file. Near the end of an Ogg Vorbis
 *   these may be some milliseconds off.
 *
 * Decoding begins a second early, because a codec needs earlier frames. If more than half of a source is
 * needed, all of it is read in such stretches in parallel (`read-stretches.ts`), and its levels are kept. In
 * all other cases the whole source is decoded once, in one pass, and its levels are kept: other containers;
 * Ogg, CAF and Matroska if all of them is needed; chained Ogg streams; MP4 whose beginning the engine
 * corrects; and a source of which a stretch was not as expected.
 */
import { createReadStream } from 'node:fs';
import { openDecoder, readWavStream } from '../convert/input/decode.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { TAIL_BYTES } from '../convert/input/source-bytes.ts';
import { readRange, type SourceFile } from '../convert/input/source-file.ts';
import { decodeAudible } from '../convert/samples/audible-samples.ts';
import { frameBytes } from '../convert/samples/wav-header.ts';
import { CopyNotPossibleError } from '../copy/copy-contract.ts';
import { decodeWindowArgv } from '../ffmpeg/argv.ts';
import { FfmpegError, type FfmpegRuntime, startFfmpeg } from '../ffmpeg/run.ts';
import { exactPcmFormat } from '../ffmpeg/stream-info.ts';
import type { PcmShape, SourceContainer } from '../formats/formats.ts';
import { isAttack, MediaError } from '../media-error.ts';
import { decodeCpuSeconds } from '../sandbox/limits.ts';
import { freeChunk } from '../source/free-chunk.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import { readClusterIndex } from './cluster-index.ts';
import { readFrameIndex } from './frame-index.ts';
import type { FrameIndex } from './frame-places.ts';
import { createLevelMeter, type Levels, levelsWithin, STEP_SECONDS } from './levels.ts';
import { readInStretches } from './read-stretches.ts';

export interface LevelSource {
  /**
   * The levels of [from, to), counted from the first audible sample. They end with the audio if that ends
   * earlier, and begin at most a step after `from`.
   */
  levels(fromSeconds: number, toSeconds: number): Promise<Levels>;
  /** Whether the whole source had to be decoded: any further stretch then costs nothing. */
  readonly isWholeDecoded: boolean;
}

interface LevelSourceOptions {
  readonly runtime: FfmpegRuntime;
  readonly file: LocalFile;
  readonly container: SourceContainer;
  readonly probed: ProbedSource;
}

const PREROLL_SECONDS = 1;
/** Also fed after a stretch: a parser returns a frame when it has seen the next one. */
const POSTROLL_SECONDS = 0.5;
/** If more than this share of the source is needed, all of it is decoded. */
const WINDOW_SHARE = 0.5;
/** By how much a stretch of a source may be shorter than expected. */
const MISSING_SECONDS = 0.05;
/** By how much a header's length may be wrong. */
const CLAIM_PRECISION_SECONDS = 0.2;
const WALL_LIMIT_MS = 12 * 60 * 60 * 1000;
/** ffmpeg's seek uses the positions stored in these containers. */
const INDEXED_CONTAINERS: ReadonlySet<SourceContainer> = new Set(['flac', 'ogg', 'mp4', 'caf']);

interface Window {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

interface WindowReader {
  /** Whether windows give the same levels as the whole, so that the whole can be assembled from them. */
  readonly isExact: boolean;
  /** Of the whole source; undefined if unknown. */
  lengthSeconds(): Promise<number | undefined>;
  /** Undefined if it cannot be read separately. */
  read(window: Window): Promise<Levels | undefined>;
}

export function createLevelSource(options: LevelSourceOptions): LevelSource {
  let windows = createWindowReader(options);
  let all: Promise<Levels> | undefined;

  /** Undefined if the source cannot be read in this way; other stretches are not tried then. */
  async function attempt(
    read: (windows: WindowReader) => Promise<Levels | undefined>,
  ): Promise<Levels | undefined> {
    try {
      const levels = windows && (await read(windows));
      if (levels !== undefined) return levels;
    } catch (error) {
      options.runtime.signal.throwIfAborted();
      if (!isSourcesFault(error)) throw error;
    }
    windows = undefined;
    return undefined;
  }

  async function readAlone(window: Window): Promise<Levels | undefined> {
    if (all !== undefined) return undefined;
    return await attempt(async ({ lengthSeconds, read }) => {
      const totalSeconds = await lengthSeconds();
      if (totalSeconds !== undefined && lengthOf(window) > WINDOW_SHARE * totalSeconds) {
        all = readWhole();
        return levelsWithin(await all, window.fromSeconds, window.toSeconds);
      }
      const levels = await read(window);
      return levels !== undefined && !isTooShort(levels, window, totalSeconds) ? levels : undefined;
    });
  }

  async function readWhole(): Promise<Levels> {
    const inStretches = await attempt(async ({ lengthSeconds, read, isExact }) => {
      const totalSeconds = isExact ? await lengthSeconds() : undefined;
      return totalSeconds === undefined ? undefined : await readInStretches(totalSeconds, read);
    });
    return inStretches ?? (await readAll(options));
  }

  return {
    get isWholeDecoded() {
      return all !== undefined;
    },
    async levels(fromSeconds, toSeconds) {
      const window = { fromSeconds: Math.max(0, fromSeconds), toSeconds };
      const alone = await readAlone(window);
      if (alone !== undefined) return alone;
      all ??= readWhole();
      return levelsWithin(await all, window.fromSeconds, window.toSeconds);
    },
  };
}

function lengthOf({ fromSeconds, toSeconds }: Window): number {
  return toSeconds - fromSeconds;
}

/** Whether the audio surely continues where the levels of the window end. */
function isTooShort({ values }: Levels, window: Window, totalSeconds: number | undefined): boolean {
  if (totalSeconds !== undefined && window.toSeconds > totalSeconds - CLAIM_PRECISION_SECONDS) return false;
  return values.length * STEP_SECONDS < lengthOf(window) - MISSING_SECONDS;
}

function isSourcesFault(error: unknown): boolean {
  if (isAttack(error)) return false;
  return error instanceof MediaError || error instanceof CopyNotPossibleError || error instanceof FfmpegError;
}

function createWindowReader(options: LevelSourceOptions): WindowReader | undefined {
  const { container, probed } = options;
  if (container === 'wav' && probed.rawPcm !== undefined) return rawReader(options, probed.rawPcm);
  const { runtime, file } = options;
  if (container === 'mp3' || container === 'adts')
    return frameReader(options, () => readFrameIndex(file, container, runtime.signal));
  if (container === 'matroska') return frameReader(options, () => readClusterIndex(file, runtime.signal));
  // ffmpeg's times do not include what the engine removes at the beginning.
  const isAsFfmpegHasIt = probed.decoder === undefined && (probed.primingSamples ?? 0) === 0;
  if (INDEXED_CONTAINERS.has(container) && isAsFfmpegHasIt) return seekingReader(options);
  return undefined;
}

function rawReader(
  { file, probed: { sampleRateHz, channelCount, claimedSeconds } }: LevelSourceOptions,
  { format, startByte, endByte }: NonNullable<ProbedSource['rawPcm']>,
): WindowReader {
  const pcm = { format, sampleRateHz, channelCount };
  const byteAt = (seconds: number): number =>
    Math.min(endByte, startByte + Math.round(seconds * sampleRateHz) * frameBytes(pcm));
  return {
    isExact: true,
    lengthSeconds: async () => claimedSeconds,
    async read({ fromSeconds, toSeconds }) {
      const meter = createLevelMeter(pcm, fromSeconds);
      const part = { ...file, sizeBytes: Math.min(file.sizeBytes, byteAt(toSeconds)) };
      const { chunks, memory } = createLocalFileReader(part, byteAt(fromSeconds));
      for await (const chunk of chunks()) {
        meter.push(chunk);
        memory.recycle(chunk.buffer);
      }
      return meter.finish();
    },
  };
}

async function* readBytes({ path }: LocalFile, start: number, end: number): AsyncGenerator<Buffer> {
  if (end > start) yield* createReadStream(path, { start, end: end - 1 });
}

function frameReader(options: LevelSourceOptions, readIndex: () => Promise<FrameIndex>): WindowReader {
  const { runtime, file, container } = options;
  let index: Promise<FrameIndex> | undefined;
  const openIndex = (): Promise<FrameIndex> => {
    index ??= readIndex();
    return index;
  };

  async function read(window: Window): Promise<Levels | undefined> {
    const { headBytes, placeBefore, placeAfter } = await openIndex();
    const begin = placeBefore(window.fromSeconds - PREROLL_SECONDS);
    const end = placeAfter(window.toSeconds + POSTROLL_SECONDS);
    async function* bytes(): AsyncGenerator<Buffer> {
      yield* readBytes(file, 0, headBytes);
      yield* readBytes(file, begin.byte, end.byte);
    }
    const sizeBytes = headBytes + end.byte - begin.byte;
    const { format, sampleRateHz } = decodedShape(options);
    await using decoder = await openDecoder(runtime, { container, bytes: bytes(), sizeBytes }, { format });
    if (decoder.sampleRateHz !== sampleRateHz) return undefined;
    const pcm = { format, sampleRateHz, channelCount: decoder.channelCount };
    return await measureWindow(decoder.pcm, pcm, begin.seconds, window);
  }

  // The times of clusters are rounded.
  const isExact = container !== 'matroska';
  return { isExact, lengthSeconds: async () => (await openIndex()).lengthSeconds, read };
}

function seekingReader(options: LevelSourceOptions): WindowReader {
  const { runtime, file, container, probed } = options;
  let ogg: Promise<number | undefined> | undefined;

  async function lengthSeconds(): Promise<number | undefined> {
    if (container !== 'ogg') return probed.claimedSeconds;
    ogg ??= oggSeconds(options);
    return await ogg;
  }

  async function read(window: Window): Promise<Levels | undefined> {
    if ((await lengthSeconds()) === undefined) return undefined;
    const { format, sampleRateHz } = decodedShape(options);
    const beginSeconds = Math.max(0, window.fromSeconds - PREROLL_SECONDS);
    await using child = startFfmpeg(runtime, {
      args: decodeWindowArgv({
        container,
        path: file.path,
        format,
        fromSeconds: beginSeconds,
        toSeconds: window.toSeconds + POSTROLL_SECONDS,
      }),
      limits: { cpuSeconds: decodeCpuSeconds(file.sizeBytes), fileSizeBytes: 0 },
      wallLimitMs: WALL_LIMIT_MS,
      reads: file.path,
      stdin: 'ignore',
    });
    const stream = await readWavStream(child.stdout);
    if (stream === undefined || stream.header.sampleRateHz !== sampleRateHz) return undefined;
    const pcm = { format, sampleRateHz, channelCount: probed.channelCount };
    const levels = await measureWindow(stream.data, pcm, beginSeconds, window);
    await child.finished;
    return levels;
  }

  return { isExact: container === 'flac' || container === 'mp4', lengthSeconds, read };
}

/** From the last page; undefined if one stream follows another, because times start again there. */
async function oggSeconds({ file, probed }: LevelSourceOptions): Promise<number | undefined> {
  const head = await readRange(file.path, 0, OGG_SERIAL_END);
  const tail = await readRange(file.path, Math.max(0, file.sizeBytes - TAIL_BYTES), TAIL_BYTES);
  const page = tail.lastIndexOf('OggS');
  if (page < 0 || page + OGG_SERIAL_END > tail.length) return undefined;
  if (head.readUInt32LE(OGG_SERIAL_AT) !== tail.readUInt32LE(page + OGG_SERIAL_AT)) return undefined;
  return Number(tail.readBigInt64LE(page + OGG_GRANULE_AT)) / probed.sampleRateHz;
}

/** RFC 3533 section 6. */
const OGG_GRANULE_AT = 6;
const OGG_SERIAL_AT = 14;
const OGG_SERIAL_END = 18;

/**
 * Lossy audio is decoded to floats: the smallest steps of 16 bits are as loud as what counts as inaudible.
 */
function decodedShape({ probed }: LevelSourceOptions): PcmShape {
  const { sampleRateHz, channelCount, stream } = probed;
  return { format: exactPcmFormat(stream) ?? 'f32le', sampleRateHz, channelCount };
}

/** `samples` begin at `beginSeconds`; those in the window are measured, the others are skipped. */
async function measureWindow(
  samples: AsyncIterable<Buffer>,
  pcm: PcmShape,
  beginSeconds: number,
  { fromSeconds, toSeconds }: Window,
): Promise<Levels> {
  const blockBytes = frameBytes(pcm);
  const startByte = Math.round((fromSeconds - beginSeconds) * pcm.sampleRateHz) * blockBytes;
  const endByte = startByte + Math.round((toSeconds - fromSeconds) * pcm.sampleRateHz) * blockBytes;
  const meter = createLevelMeter(pcm, fromSeconds);
  let position = 0;
  for await (const chunk of samples) {
    const start = Math.min(chunk.length, Math.max(0, startByte - position));
    meter.push(chunk.subarray(start, Math.max(start, endByte - position)));
    position += chunk.length;
    freeChunk(chunk);
  }
  return meter.finish();
}

async function readAll(options: LevelSourceOptions): Promise<Levels> {
  const { runtime, file, container, probed } = options;
  const pcm = decodedShape(options);
  const source: SourceFile = { path: file.path, name: file.path, container, sizeBytes: file.sizeBytes };
  await using decoded = await decodeAudible(runtime, source, { probed, pcm });
  const meter = createLevelMeter(pcm);
  for await (const chunk of decoded.pcm) {
    meter.push(chunk);
    freeChunk(chunk);
  }
  return meter.finish();
}
