/**
 * The levels of any stretch of a source that lies on this machine.
 *
 * A short stretch is decoded alone. How its beginning is found depends on the container:
 *
 * - WAV of plain samples: by arithmetic, without a decoder.
 * - mp3 and ADTS: by an index of their frames (`frame-index.ts`), from which the decoder is fed. ffmpeg's own seek goes by
 *   a table of a hundred points, or by the mean bitrate.
 * - FLAC, Ogg, MP4, Matroska and CAF: by ffmpeg, which goes by the positions in the file.
 *
 * Decoding begins a second early, so that what a codec takes from the frames before is there. All else is decoded in one
 * go, once, and kept as levels: other containers, stretches of more than half of the source, Ogg streams one behind
 * another, MP4 whose beginning is put right by the engine, and a source of which a stretch did not give what it should.
 */
import { createReadStream } from 'node:fs';
import { decodeCpuSeconds } from '../../sandbox/limits.ts';
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
import type { LocalFile } from '../source/local-file.ts';
import { type FramedContainer, type FrameIndex, readFrameIndex } from './frame-index.ts';
import { createLevelMeter, type Levels, levelsWithin, STEP_SECONDS } from './levels.ts';

export interface LevelSource {
  /**
   * The levels of [from, to), counted from the first audible sample. They end with the sound, where that ends before,
   * and begin at most a step behind `from`.
   */
  levels(fromSeconds: number, toSeconds: number): Promise<Levels>;
  /** Whether all of the source had to be decoded: any further stretch costs nothing. */
  readonly isWholeDecoded: boolean;
}

interface LevelSourceOptions {
  readonly runtime: FfmpegRuntime;
  readonly file: LocalFile;
  readonly container: SourceContainer;
  readonly probed: ProbedSource;
}

const PREROLL_SECONDS = 1;
/** Behind a stretch that is fed: a parser gives a frame when it has seen the next one. */
const POSTROLL_SECONDS = 0.5;
/** Of the source, for more of which all of it is decoded. */
const WINDOW_SHARE = 0.5;
/** A stretch of a source may be so much shorter than it should be. */
const MISSING_SECONDS = 0.05;
/** What a header says of the length may be wrong by so much. */
const CLAIM_PRECISION_SECONDS = 0.2;
const WALL_LIMIT_MS = 12 * 60 * 60 * 1000;
/** ffmpeg's seek in these goes by the positions that they hold. */
const INDEXED_CONTAINERS: ReadonlySet<SourceContainer> = new Set(['flac', 'ogg', 'mp4', 'matroska', 'caf']);

type Window = { readonly fromSeconds: number; readonly toSeconds: number };
/** Undefined: it cannot be had alone. */
type ReadWindow = (window: Window) => Promise<Levels | undefined>;

export function createLevelSource(options: LevelSourceOptions): LevelSource {
  const { probed } = options;
  let readWindow = windowReader(options);
  let all: Promise<Levels> | undefined;

  async function levelsOfAll(window: Window): Promise<Levels> {
    all ??= readAll(options);
    return levelsWithin(await all, window.fromSeconds, window.toSeconds);
  }

  /** Whether the sound surely goes on where the levels of the window end. */
  function isTooShort({ values }: Levels, { fromSeconds, toSeconds }: Window): boolean {
    const { claimedSeconds } = probed;
    if (claimedSeconds !== undefined && toSeconds > claimedSeconds - CLAIM_PRECISION_SECONDS) return false;
    return values.length * STEP_SECONDS < toSeconds - fromSeconds - MISSING_SECONDS;
  }

  return {
    get isWholeDecoded() {
      return all !== undefined;
    },
    async levels(fromSeconds, toSeconds) {
      const window = { fromSeconds: Math.max(0, fromSeconds), toSeconds };
      const lengthSeconds = window.toSeconds - window.fromSeconds;
      const isMost =
        probed.claimedSeconds === undefined || lengthSeconds > WINDOW_SHARE * probed.claimedSeconds;
      if (all !== undefined || readWindow === undefined || isMost) return await levelsOfAll(window);
      try {
        const levels = await readWindow(window);
        if (levels !== undefined && !isTooShort(levels, window)) return levels;
      } catch (error) {
        options.runtime.signal.throwIfAborted();
        if (!isSourcesFault(error)) throw error;
      }
      // The next stretch would fare no better.
      readWindow = undefined;
      return await levelsOfAll(window);
    },
  };
}

function isSourcesFault(error: unknown): boolean {
  if (isAttack(error)) return false;
  return error instanceof MediaError || error instanceof CopyNotPossibleError || error instanceof FfmpegError;
}

function windowReader(options: LevelSourceOptions): ReadWindow | undefined {
  const { container, probed } = options;
  if (container === 'wav' && probed.rawPcm !== undefined) return rawReader(options, probed.rawPcm);
  if (container === 'mp3' || container === 'adts') return frameReader(options, container);
  if (INDEXED_CONTAINERS.has(container) && probed.decoder === undefined) return seekingReader(options);
  return undefined;
}

function rawReader(
  { file, probed: { sampleRateHz, channelCount } }: LevelSourceOptions,
  { format, startByte, endByte }: NonNullable<ProbedSource['rawPcm']>,
): ReadWindow {
  const pcm = { format, sampleRateHz, channelCount };
  return async ({ fromSeconds, toSeconds }) => {
    const byteAt = (seconds: number): number =>
      Math.min(endByte, startByte + Math.round(seconds * sampleRateHz) * frameBytes(pcm));
    const meter = createLevelMeter(pcm, fromSeconds);
    const [start, end] = [byteAt(fromSeconds), byteAt(toSeconds)];
    for await (const chunk of readBytes(file, start, end)) meter.push(chunk);
    return meter.finish();
  };
}

async function* readBytes({ path }: LocalFile, start: number, end: number): AsyncGenerator<Buffer> {
  if (end > start) yield* createReadStream(path, { start, end: end - 1 });
}

function frameReader(options: LevelSourceOptions, container: FramedContainer): ReadWindow {
  const { runtime, file } = options;
  let index: Promise<FrameIndex> | undefined;
  return async (window) => {
    index ??= readFrameIndex(file, container, runtime.signal);
    const { placeBefore, placeAfter } = await index;
    const begin = placeBefore(window.fromSeconds - PREROLL_SECONDS);
    const end = placeAfter(window.toSeconds + POSTROLL_SECONDS);
    const bytes = readBytes(file, begin.byte, end.byte);
    const sizeBytes = end.byte - begin.byte;
    const { format, sampleRateHz } = decodedShape(options);
    await using decoder = await openDecoder(runtime, { container, bytes, sizeBytes }, { format });
    if (decoder.sampleRateHz !== sampleRateHz) return undefined;
    const pcm = { format, sampleRateHz, channelCount: decoder.channelCount };
    return await measureWindow(decoder.pcm, pcm, begin.seconds, window);
  };
}

function seekingReader(options: LevelSourceOptions): ReadWindow {
  const { runtime, file, container, probed } = options;
  let isTrusted: Promise<boolean> | undefined;
  return async (window) => {
    isTrusted ??= canBeSought(options);
    if (!(await isTrusted)) return undefined;
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
  };
}

/** Not where the engine puts the beginning right, nor where one Ogg stream follows another: times begin anew there. */
async function canBeSought({ file, container, probed }: LevelSourceOptions): Promise<boolean> {
  if ((probed.primingSamples ?? 0) > 0) return false;
  if (container !== 'ogg') return true;
  const head = await readRange(file.path, 0, OGG_SERIAL_END);
  const tail = await readRange(file.path, Math.max(0, file.sizeBytes - TAIL_BYTES), TAIL_BYTES);
  const lastPage = tail.lastIndexOf('OggS');
  return (
    lastPage >= 0 &&
    lastPage + OGG_SERIAL_END <= tail.length &&
    head.readUInt32LE(OGG_SERIAL_AT) === tail.readUInt32LE(lastPage + OGG_SERIAL_AT)
  );
}

/** RFC 3533 section 6. */
const OGG_SERIAL_AT = 14;
const OGG_SERIAL_END = 18;

/** Lossy sound is decoded to floats: the least steps of 16 bits are as loud as what counts as inaudible. */
function decodedShape({ probed }: LevelSourceOptions): PcmShape {
  const { sampleRateHz, channelCount, stream } = probed;
  return { format: exactPcmFormat(stream) ?? 'f32le', sampleRateHz, channelCount };
}

/** `samples` begin at `beginSeconds`; those of the window are measured, and the rest is passed over. */
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
  }
  return meter.finish();
}

async function readAll(options: LevelSourceOptions): Promise<Levels> {
  const { runtime, file, container, probed } = options;
  const pcm = decodedShape(options);
  const source: SourceFile = { path: file.path, name: file.path, container, sizeBytes: file.sizeBytes };
  await using decoded = await decodeAudible(runtime, source, probed, pcm, undefined);
  const meter = createLevelMeter(pcm);
  for await (const chunk of decoded.pcm) meter.push(chunk);
  return meter.finish();
}
