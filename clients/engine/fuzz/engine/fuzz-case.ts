import type { Cut } from '../../src/cuts/cut.ts';

/**
 * The input of one execution, complete in itself: 16 bytes of settings in front of the source. Any bytes are a
 * valid case, so settings are mutated like all else.
 *
 *    0  cut: odd by size, even by duration      1  which limit       2  which quota
 *    3  how the source is cut into chunks       4  seed of the chunk lengths
 *    5  flags, and when to abort                6  where the repeated bytes begin (u16)
 *    8  how many bytes are repeated (u16)      10  how many times (u32)
 *   14  a number that parsers without a source of their own take (u16)
 *
 * Repetition keeps cases small that need a source larger than the engine's read-ahead: a filler of a quarter
 * megabyte in front of the frames moves the end of a window to any byte of them.
 */
export interface FuzzCase {
  readonly cut: Cut;
  readonly maxSourceDurationMs: number | undefined;
  /** Whether the segments are to be split again. */
  readonly isRewalked: boolean;
  /** After how many segments the split is aborted. */
  readonly abortAfter: number;
  readonly parameter: number;
  readonly source: Buffer;
  chunks(): AsyncGenerator<Buffer>;
}

export const SETTINGS_BYTES = 16;
const CHUNKING_AT = 3;
const FLAGS_AT = 5;
export const REPEAT_AT = 6;
export const REPEAT_BYTES_AT = 8;
export const REPEAT_COUNT_AT = 10;
const PARAMETER_AT = 14;
/** More than two of the engine's windows. */
const MAX_REPEATED_BYTES = 160 * 1024;
const LONG_SOURCE_BYTES = 32 * 1024;
const REWALK_FLAG = 1;
const ABORT_SHIFT = 1;

/** Within the bounds of the API, so that no finding is out of a caller's reach. */
const DURATIONS_SECONDS = [1, 1, 1.25, 2, 3, 7, 60, 86_400];
/** Below the API's least limit too: cases are that much smaller than sources. */
const LIMITS_BYTES = [200, 400, 800, 1_500, 3_000, 10_000, 65_536, 2 ** 31];
const QUOTAS_MS = [undefined, undefined, undefined, undefined, undefined, 1, 900, 60_000];
/** Files are what costs most, and dozens show what thousands do; how a split of too many ends is seen now and then. */
const ABORT_AFTER_SEGMENTS = [24, 24, 24, 24, 24, 24, 3, 1];
const NEVER_ABORT = 127;
/** The longest chunk by setting; 0 is the whole source at once. */
const CHUNK_BYTES = [0, 1, 3, 64, 1_000, 17_000, 40_000, 140_000];
/** Long sources in tiny chunks cost time and show nothing that short ones do not. */
const MAX_TINY_CHUNKS_BYTES = 32 * 1024;

export function readCase(input: Buffer): FuzzCase {
  const settings = Buffer.alloc(SETTINGS_BYTES);
  input.copy(settings, 0, 0, SETTINGS_BYTES);
  const source = withRepetition(input.subarray(SETTINGS_BYTES), settings);
  const limit = settings.readUInt8(1) % 8;
  const wantedChunkBytes = CHUNK_BYTES[settings.readUInt8(CHUNKING_AT) % 8] ?? 0;
  const maxChunkBytes =
    wantedChunkBytes === 0
      ? source.length
      : Math.max(wantedChunkBytes, source.length > MAX_TINY_CHUNKS_BYTES ? 4_096 : 1);
  return {
    cut:
      settings.readUInt8(0) % 2 === 1
        ? { mode: 'fileSize', maxFileSizeBytes: LIMITS_BYTES[limit] ?? 1 }
        : { mode: 'duration', segmentDurationSeconds: DURATIONS_SECONDS[limit] ?? 1 },
    maxSourceDurationMs: QUOTAS_MS[settings.readUInt8(2) % 8],
    isRewalked: (settings.readUInt8(FLAGS_AT) & REWALK_FLAG) !== 0,
    abortAfter: abortAfter(settings.readUInt8(FLAGS_AT) >> ABORT_SHIFT),
    parameter: settings.readUInt16LE(PARAMETER_AT),
    source,
    chunks: () => inChunks(source, maxChunkBytes, settings.readUInt8(4)),
  };
}

function abortAfter(setting: number): number {
  return setting === NEVER_ABORT ? Number.POSITIVE_INFINITY : (ABORT_AFTER_SEGMENTS[setting % 8] ?? 1);
}

/** Whether the case may cost a hundred times as much as others: a long source, or one split into thousands of files. */
export function isCostly(input: Buffer): boolean {
  if (input.length < SETTINGS_BYTES) return false;
  const isNeverAborted = input.readUInt8(FLAGS_AT) >> ABORT_SHIFT === NEVER_ABORT;
  const repeated = input.readUInt16LE(REPEAT_BYTES_AT) * input.readUInt32LE(REPEAT_COUNT_AT);
  return isNeverAborted || input.length + Math.min(repeated, MAX_REPEATED_BYTES) > LONG_SOURCE_BYTES;
}

function withRepetition(source: Buffer, settings: Buffer): Buffer {
  const at = settings.readUInt16LE(REPEAT_AT);
  const unit = source.subarray(at, at + settings.readUInt16LE(REPEAT_BYTES_AT));
  const wanted = settings.readUInt32LE(REPEAT_COUNT_AT);
  if (unit.length === 0 || wanted === 0) return source;
  const filler = Buffer.alloc(
    unit.length * Math.min(wanted, Math.floor(MAX_REPEATED_BYTES / unit.length)),
    unit,
  );
  return Buffer.concat([source.subarray(0, at), filler, source.subarray(at)]);
}

async function* inChunks(source: Buffer, maxChunkBytes: number, seed: number): AsyncGenerator<Buffer> {
  let state = seed;
  for (let at = 0; at < source.length; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const end = at + (maxChunkBytes < source.length ? 1 + ((state >>> 8) % maxChunkBytes) : source.length);
    yield source.subarray(at, end);
    at = end;
  }
}

export function withParameter(input: Buffer, parameter: number): Buffer {
  const changed = Buffer.from(input);
  changed.writeUInt16LE(parameter, PARAMETER_AT);
  return changed;
}

interface CaseSettings {
  readonly repeat?: { readonly at: number; readonly byteCount: number; readonly times: number };
  readonly parameter?: number;
  /** Which of the chunk lengths; whole by default. */
  readonly chunking?: number;
}

/** A case that cuts by a second, delivers the source whole and looks at the segments again. */
export function createCase(
  source: Uint8Array,
  { repeat, parameter = 0, chunking = 0 }: CaseSettings = {},
): Buffer {
  const settings = Buffer.alloc(SETTINGS_BYTES);
  settings.writeUInt8(chunking, CHUNKING_AT);
  settings.writeUInt8(REWALK_FLAG, FLAGS_AT);
  if (repeat !== undefined) {
    settings.writeUInt16LE(repeat.at, REPEAT_AT);
    settings.writeUInt16LE(repeat.byteCount, REPEAT_BYTES_AT);
    settings.writeUInt32LE(repeat.times, REPEAT_COUNT_AT);
  }
  settings.writeUInt16LE(parameter, PARAMETER_AT);
  return Buffer.concat([settings, source]);
}
