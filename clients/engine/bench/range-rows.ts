/**
 * Ten seconds of 2 GiB that come in by a link whose server gives parts: how much is fetched. The engine asks for parts and has
 * no connections of its own, so no network is in the time. Sources are a short one again and again, made where it is asked for.
 */
import { open, readFile } from 'node:fs/promises';
import type { OutputFormat } from '../src/formats/formats.ts';
import { findSandbox } from '../src/sandbox/find-sandbox.ts';
import type { SourceRanges } from '../src/source/source-ranges.ts';
import { splitAudio } from '../src/split-audio.ts';
import { type Bench, type Row, seconds, withOutputDir } from './measure.ts';
import { sourceNamed } from './sources.ts';

const MAX_SOURCE_BYTES = 2 ** 31;
const MAX_SHARE = 0.02;
const RANGE_SECONDS = 10;
const FIRST_CHUNK_BYTES = 64 * 1024;

/** `head`, and behind it `unit` so many times. */
interface LongSource {
  readonly head: Buffer;
  readonly unit: Buffer;
  readonly count: number;
}

interface RangeCase {
  readonly where: string;
  readonly startSeconds: number;
  readonly lengthen: (bytes: Buffer) => LongSource;
  /** Absent: copied. */
  readonly outputFormat?: OutputFormat;
}

const MIDDLE_OF_WAV = { where: 'in its middle', startSeconds: 6_000, lengthen: longWave };
const MIDDLE_OF_MP3 = { where: 'in its middle', startSeconds: 60_000, lengthen: longConstantMp3 };

const CASES: readonly (readonly [string, RangeCase])[] = [
  ['wav', MIDDLE_OF_WAV],
  ['wav', { ...MIDDLE_OF_WAV, outputFormat: 'mp3' }],
  ['mp3 128k', MIDDLE_OF_MP3],
  ['mp3 128k', { ...MIDDLE_OF_MP3, outputFormat: 'flac' }],
  ['mp3 V2', { where: 'near its beginning', startSeconds: 300, lengthen: longMp3 }],
  [
    'adts',
    { where: 'near its beginning', startSeconds: 300, lengthen: (bytes) => repeated(bytes, 0, bytes.length) },
  ],
];

export async function measureRanges(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, { where, startSeconds, lengthen, outputFormat }] of CASES) {
    const source = lengthen(await readFile(sourceNamed(bench.sources, name).path));
    const format = outputFormat === undefined ? '' : ` to ${outputFormat}`;
    const measure = `${RANGE_SECONDS} s of 2 GiB by link, ${name}${format}, ${where}`;
    const range = { measure, startSeconds, outputFormat };
    const { tookSeconds, fetchedBytes } = await splitRange(bench, source, range);
    bench.progress(`${measure}: ${tookSeconds.toFixed(3)} s`);
    const share = fetchedBytes / sizeOf(source);
    rows.push({
      measure,
      engine: seconds(tookSeconds),
      reference: `${(fetchedBytes / 1e6).toFixed(1)} MB fetched`,
      result: `${(100 * share).toFixed(2)} %`,
      goal: `≤ ${100 * MAX_SHARE} %`,
      isMet: share <= MAX_SHARE,
    });
  }
  return rows;
}

interface MeasuredRange {
  readonly measure: string;
  readonly startSeconds: number;
  readonly outputFormat: OutputFormat | undefined;
}

function splitRange(
  bench: Bench,
  source: LongSource,
  { measure, startSeconds, outputFormat }: MeasuredRange,
) {
  return withOutputDir(bench, async (scratchDir) => {
    const served = serve(source);
    const lengths: number[] = [];
    const ffmpegPath = bench.tools.engineFfmpeg;
    const startedAt = performance.now();
    await splitAudio({
      source: served.chunks(),
      sourceSizeBytes: sizeOf(source),
      sourceRanges: served.ranges,
      cut: {
        mode: 'planned',
        request: {
          splitMode: 'ranges',
          ranges: [{ start: startSeconds, end: startSeconds + RANGE_SECONDS }],
        },
      },
      ...(outputFormat === undefined ? {} : { outputFormat }),
      scratchDir,
      ffmpegPath,
      sandbox: await findSandbox(ffmpegPath),
      signal: new AbortController().signal,
      onProgress: () => undefined,
      onSegment: async ({ sampleCount, sampleRateHz }) => void lengths.push(sampleCount / sampleRateHz),
    });
    const tookSeconds = (performance.now() - startedAt) / 1000;
    const [length = 0] = lengths;
    if (lengths.length !== 1 || Math.abs(length - RANGE_SECONDS) > 0.05)
      bench.faults.push(`${measure}: a segment of ${length} s`);
    return { tookSeconds, fetchedBytes: served.fetchedBytes() };
  });
}

function serve(source: LongSource) {
  const sizeBytes = sizeOf(source);
  let fetchedBytes = 0;
  const ranges: SourceRanges = {
    sizeBytes,
    async writeTo(path, { start, end }) {
      await using file = await open(path, 'r+');
      for (let at = start; at < end; ) {
        const part = partAt(source, at).subarray(0, end - at);
        await file.write(part, 0, part.length, at);
        at += part.length;
      }
      fetchedBytes += end - start;
      return { start, end };
    },
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < sizeBytes; ) {
      const chunk = partAt(source, at).subarray(0, FIRST_CHUNK_BYTES);
      at += chunk.length;
      fetchedBytes += chunk.length;
      yield chunk;
    }
  }
  return { chunks, ranges, fetchedBytes: () => fetchedBytes };
}

function sizeOf({ head, unit, count }: LongSource): number {
  return head.length + count * unit.length;
}

/** From there to the end of the head, or of the unit. */
function partAt({ head, unit }: LongSource, at: number): Buffer {
  return at < head.length ? head.subarray(at) : unit.subarray((at - head.length) % unit.length);
}

function repeated(bytes: Buffer, start: number, end: number): LongSource {
  const unit = bytes.subarray(start, end);
  return {
    head: bytes.subarray(0, start),
    unit,
    count: Math.floor((MAX_SOURCE_BYTES - start) / unit.length),
  };
}

const WAV_RIFF_SIZE_AT = 4;

function longWave(bytes: Buffer): LongSource {
  const dataAt = bytes.indexOf('data') + 8;
  const long = repeated(bytes, dataAt, bytes.length);
  long.head.writeUInt32LE(sizeOf(long) - WAV_RIFF_SIZE_AT - 4, WAV_RIFF_SIZE_AT);
  long.head.writeUInt32LE(long.count * long.unit.length, dataAt - 4);
  return long;
}

function longMp3(bytes: Buffer): LongSource {
  const info = readInfo(bytes);
  return withCounts(
    repeated(bytes, info.framesAt, bytes.length),
    info,
    bytes.readUInt32BE(info.at + FRAMES_AT),
  );
}

/** At 44.1 kHz frames of 128 kbit/s are padded so that as many as these take a whole number of bytes. */
const PERIOD_FRAMES = 49;
const PERIOD_BYTES = 20_480;

function longConstantMp3(bytes: Buffer): LongSource {
  const info = readInfo(bytes);
  const periods = Math.floor((bytes.length - info.framesAt) / PERIOD_BYTES);
  const long = repeated(bytes, info.framesAt, info.framesAt + periods * PERIOD_BYTES);
  return withCounts(long, info, periods * PERIOD_FRAMES);
}

/** Behind the four letters of an info frame, and its flags. */
const FRAMES_AT = 8;
const BYTES_AT = 12;

interface Info {
  /** Its letters. */
  readonly at: number;
  readonly frameAt: number;
  readonly framesAt: number;
}

/** As ffmpeg writes it; no tag follows the frames. */
function readInfo(bytes: Buffer): Info {
  const at = Math.max(bytes.indexOf('Xing'), bytes.indexOf('Info'));
  const frameAt = bytes.lastIndexOf(0xff, at);
  return { at, frameAt, framesAt: bytes.indexOf(bytes.subarray(frameAt, frameAt + 2), at) };
}

function withCounts(long: LongSource, { at, frameAt }: Info, framesPerUnit: number): LongSource {
  long.head.writeUInt32BE(framesPerUnit * long.count, at + FRAMES_AT);
  long.head.writeUInt32BE(sizeOf(long) - frameAt, at + BYTES_AT);
  return long;
}
