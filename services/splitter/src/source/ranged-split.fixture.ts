/** Splits of files that a server returns by ranges, and sources for them. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { createSource } from '@audiosplit/engine/copy/testing/ffmpeg';
import { splitAudio } from '@audiosplit/engine/split-audio';
import type { CutRequest } from '@audiosplit/proto/cut';
import { splitInScratch } from '../engine-thread/testing/scratch-split.ts';
import { createEgress, OPTIONS } from './fetch-source.fixture.ts';
import { openSource } from './fetch-source.ts';

export const TEN_SECONDS: CutRequest = { splitMode: 'ranges', ranges: [{ start: 60, end: 70 }] };

const SOME_RANGES = [
  { start: 64.5, end: 69 },
  { start: 1.5, end: 3 },
  { start: 66, end: 67 },
];
/** Requests that need little of a source, and state where it ends. */
export const SOME_REQUESTS: readonly CutRequest[] = [
  { splitMode: 'ranges', ranges: SOME_RANGES },
  { splitMode: 'duration', segmentDuration: 4, trim: { start: 59, end: 70 } },
  { splitMode: 'ranges', ranges: SOME_RANGES, dryRun: true },
];

interface SplitFromOptions {
  readonly ffmpegPath: string;
  /** False: all of it is fetched. */
  readonly ranges?: boolean;
  readonly split?: typeof splitAudio;
}

/** Splits a file that a server returns. */
export async function splitFrom(
  url: string,
  request: CutRequest,
  { ffmpegPath, ranges = true, split = splitAudio }: SplitFromOptions,
) {
  await using egress = createEgress();
  await using source = await openSource(egress, url, { ...OPTIONS, maxBytes: 3 * 2 ** 30 });
  await using run = await splitInScratch(split, {
    source: source.body,
    ...(source.declaredSizeBytes === undefined ? {} : { sourceSizeBytes: source.declaredSizeBytes }),
    ...(ranges && source.ranges !== undefined ? { sourceRanges: source.ranges } : {}),
    cut: { mode: 'planned', request },
    ffmpegPath,
  });
  const result = await run.outcome;
  assert.deepEqual(await run.leftovers(), []);
  const isDry = request.dryRun === true;
  return {
    result,
    segments: isDry ? run.segments : await run.describeSegments(),
    files: isDry ? [] : await Promise.all(run.segments.map(({ path }) => readFile(path))),
  };
}

const REPEATS = 90;

/** The same ten seconds repeated: some 18 MB and more. */
export async function createMp3(path: string, bitrate: readonly string[], hasInfo = true): Promise<void> {
  const ten = await createSource({
    seconds: 10,
    sampleRateHz: 48_000,
    channelCount: 2,
    encode: ['-c:a', 'libmp3lame', ...bitrate, '-id3v2_version', '0', '-write_id3v1', '0'],
    extension: 'mp3',
  });
  const infoAt = ten.indexOf(bitrate.includes('-b:a') ? 'Info' : 'Xing');
  const infoBytes = ten.indexOf(ten.subarray(0, 2), infoAt);
  const frames = ten.subarray(infoBytes);
  ten.writeUInt32BE(REPEATS * ten.readUInt32BE(infoAt + 8), infoAt + 8);
  ten.writeUInt32BE(infoBytes + REPEATS * frames.length, infoAt + 12);
  const info = hasInfo ? [ten.subarray(0, infoBytes)] : [];
  await writeFile(path, Buffer.concat([...info, ...Array.from({ length: REPEATS }, () => frames)]));
}

/** The same as ADTS. */
export async function createAdts(path: string): Promise<void> {
  const ten = await createSource({
    seconds: 10,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: ['-c:a', 'aac', '-b:a', '256k', '-aac_coder', 'fast', '-f', 'adts'],
    extension: 'aac',
  });
  await writeFile(path, Buffer.concat(Array.from({ length: REPEATS }, () => ten)));
}
