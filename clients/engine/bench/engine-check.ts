/**
 * Lost, doubled and damaged samples of the splitting engine, per format and cut.
 *
 *   node --conditions=audiosplit-source clients/engine/bench/engine-check.ts [--minutes 2]
 *
 * Every source is split; every segment is decoded by itself and laid over the decoded source where the engine
 * says that it belongs. Copies, and conversions from lossless to lossless, must equal it bit for bit; Opus and
 * ADTS decoders carry state across a cut, and lossy encoders change every sample, so there only the numbers of
 * samples count. Ends with 1 where a sample is lost, doubled or damaged, or a segment is over its limit.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { formatTable } from '@audiosplit/chassis/testing/bench-table';
import { countFileSamples } from '../src/convert/samples/file-samples.ts';
import { parseWavHeader } from '../src/convert/samples/wav-header.ts';
import type { Cut } from '../src/cuts/cut.ts';
import type { EncodingName } from '../src/formats/encoding.ts';
import type { OutputFormat } from '../src/formats/formats.ts';
import type { FinishedSegment } from '../src/media.ts';
import { makeSources, type Source, sourceNamed } from './sources.ts';
import { findFaults, runSplit } from './split-run.ts';
import { ffmpegArgs, findTools } from './tools.ts';

const run = promisify(execFile);

/** Stereo throughout, decoded to 32-bit floats, which hold 24-bit samples exactly. */
const SAMPLE_BYTES = 8;
/** Old decoders play a last block out to its end, beyond what the container says; a Vorbis block has at most this many samples. */
const MAX_BLOCK_SAMPLES = 8_192;

const CUTS: readonly Cut[] = [
  // 44 samples past 490 whole MP3 frames: encoders that are exact only in whole frames show it.
  { mode: 'duration', segmentDurationSeconds: 12.801 },
  { mode: 'duration', segmentDurationSeconds: 17.3 },
  { mode: 'fileSize', maxFileSizeBytes: 1_000_000 },
];
const CONVERSIONS: readonly (readonly [string, OutputFormat])[] = [
  ['wav', 'mp3'],
  ['wav', 'flac'],
  ['flac', 'wav'],
  ['flac', 'ogg'],
  ['mp3 V2', 'aac'],
  ['vorbis', 'mp3'],
  ['opus', 'wav'],
  ['m4a', 'flac'],
];
const INEXACT_COPIES = ['opus', 'adts'];
const LOSSLESS_SOURCES = ['wav', 'flac'];
const LOSSLESS_OUTPUTS: readonly OutputFormat[] = ['wav', 'flac'];

interface Tally {
  readonly segments: number;
  readonly lost: number;
  readonly doubled: number;
  /** undefined where samples cannot be compared. */
  readonly damaged: number | undefined;
  readonly faults: readonly string[];
}

interface Case {
  readonly source: Source;
  readonly outputFormat: OutputFormat | undefined;
  readonly cut: Cut;
}

function isExact({ source, outputFormat }: Case): boolean {
  if (outputFormat === undefined) return !INEXACT_COPIES.includes(source.name);
  return LOSSLESS_SOURCES.includes(source.name) && LOSSLESS_OUTPUTS.includes(outputFormat);
}

async function decode(ffmpegPath: string, path: string): Promise<Buffer> {
  const args = ffmpegArgs('-i', path, '-map', '0:a:0', '-c:a', 'pcm_f32le', '-f', 'wav', 'pipe:1');
  const { stdout } = await run(ffmpegPath, args, { encoding: 'buffer', maxBuffer: 2 ** 32 });
  const header = parseWavHeader(stdout);
  if (header === undefined) throw new Error(`${path} could not be decoded`);
  return stdout.subarray(header.headerBytes);
}

/** The samples that a segment plays: the decoder's count, less what its container says is beyond the end. */
async function heldSamples(segment: FinishedSegment, decoded: number): Promise<number> {
  if (!['ogg', 'opus', 'm4a'].includes(segment.extension)) return decoded;
  const pcm = { format: 'f32le', sampleRateHz: segment.sampleRateHz, channelCount: 2 } as const;
  const name = segment.extension as EncodingName;
  const stated = await countFileSamples(name, segment.path, segment.sizeBytes, pcm);
  if (stated === undefined || decoded < stated || decoded - stated >= MAX_BLOCK_SAMPLES) return decoded;
  return stated;
}

/** A sample that the source does not have counts as damaged. */
function countDamaged(decoded: Buffer, expected: Buffer): number {
  if (decoded.equals(expected)) return 0;
  let damaged = 0;
  for (let at = 0; at < decoded.length; at += SAMPLE_BYTES) {
    const end = at + SAMPLE_BYTES;
    if (!decoded.subarray(at, end).equals(expected.subarray(at, end))) damaged += 1;
  }
  return damaged;
}

async function check(testCase: Case, ffmpegPath: string, whole: Buffer, outputDir: string): Promise<Tally> {
  const { source, outputFormat, cut } = testCase;
  await mkdir(outputDir);
  const outcome = await runSplit({
    sourcePath: source.path,
    outputDir,
    cut,
    ...(outputFormat === undefined ? {} : { outputFormat }),
    ffmpegPath,
  });
  const total = source.sampleCount ?? whole.length / SAMPLE_BYTES;
  const exact = isExact(testCase);
  let [lost, doubled, damaged, end] = [0, 0, 0, 0];
  const account = (missing: number): void => {
    lost += Math.max(0, missing);
    doubled += Math.max(0, -missing);
  };
  for (const segment of outcome.segments) {
    const decoded = await decode(ffmpegPath, segment.path);
    const held = await heldSamples(segment, decoded.length / SAMPLE_BYTES);
    account(segment.startSample - end);
    account(segment.sampleCount - held);
    end = segment.startSample + segment.sampleCount;
    if (exact) {
      const compared = Math.min(held, segment.sampleCount) * SAMPLE_BYTES;
      const start = segment.startSample * SAMPLE_BYTES;
      damaged += countDamaged(decoded.subarray(0, compared), whole.subarray(start, start + compared));
    }
  }
  account(total - end);
  const faults = await findFaults(outcome, cut, total);
  return { segments: outcome.segments.length, lost, doubled, damaged: exact ? damaged : undefined, faults };
}

/** A split that fails loses everything. */
function failed(total: number, error: unknown): Tally {
  return { segments: 0, lost: total, doubled: 0, damaged: undefined, faults: [String(error)] };
}

function isSound({ lost, doubled, damaged, faults }: Tally): boolean {
  return lost === 0 && doubled === 0 && (damaged ?? 0) === 0 && faults.length === 0;
}

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' } } });
const seconds = Math.round(Number(values.minutes) * 60);
if (!(seconds > 0)) throw new Error('--minutes takes a number above 0');

const tools = await findTools();
const dir = await mkdtemp(join(tmpdir(), 'audiosplit-check-'));
try {
  const sources = await makeSources(tools.npmFfmpeg, dir, seconds);
  const routes = [
    ...sources.map((source) => ({ source, outputFormat: undefined })),
    ...CONVERSIONS.map(([name, outputFormat]) => ({ source: sourceNamed(sources, name), outputFormat })),
  ];
  const rows: string[][] = [];
  const faults: string[] = [];
  for (const { source, outputFormat } of routes) {
    const whole = await decode(tools.engineFfmpeg, source.path);
    for (const cut of CUTS) {
      const outputDir = join(dir, 'segments');
      const tally = await check({ source, outputFormat, cut }, tools.engineFfmpeg, whole, outputDir).catch(
        (error: unknown) => failed(whole.length / SAMPLE_BYTES, error),
      );
      await rm(outputDir, { recursive: true, force: true });
      const route = `${source.name} → ${outputFormat ?? 'copy'}`;
      const limit =
        cut.mode === 'duration' ? `${cut.segmentDurationSeconds} s` : `${cut.maxFileSizeBytes} bytes`;
      rows.push([
        route,
        limit,
        String(tally.segments),
        String(tally.lost),
        String(tally.doubled),
        tally.damaged === undefined ? '-' : String(tally.damaged),
        isSound(tally) ? 'ok' : 'WRONG',
      ]);
      faults.push(...tally.faults.map((fault) => `${route}, ${limit}: ${fault}`));
      if (!isSound(tally)) process.exitCode = 1;
    }
  }
  const header = ['route', 'cut', 'segments', 'lost', 'doubled', 'damaged', ''];
  process.stdout.write(`${formatTable(header, rows)}\n`);
  for (const fault of faults) process.stdout.write(`${fault}\n`);
} finally {
  await rm(dir, { recursive: true, force: true });
}
