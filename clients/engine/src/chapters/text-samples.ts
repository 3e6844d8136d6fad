/**
 * The samples of a text track (ISO/IEC 14496-12 8.6 and 8.7; QuickTime File Format, text media): when each
 * begins, and its position in the file. Tables are read in place, not beyond the available bytes, and the
 * number of samples listed is bounded. Texts are read in the order of their positions, with neighbours in one
 * read, because they lie between the frames of the audio.
 */
import { findBox } from '../copy/m4a/boxes.ts';
import type { FileBytes } from './file-bytes.ts';
import { MAX_CHAPTERS, MAX_TITLE_BYTES } from './source-chapters.ts';
import { decodeMarkedText } from './text-decoding.ts';

export interface TextSample {
  readonly startTicks: number;
  readonly position: number;
  readonly sizeBytes: number;
}

const TABLE_HEAD_BYTES = 8;
const LENGTH_BYTES = 2;
const MAX_SAMPLE_BYTES = LENGTH_BYTES + MAX_TITLE_BYTES;
/** Bytes read at once. */
const MAX_SPAN_BYTES = 64 * 1024;

/** Of an `stbl` box. Fewer if its tables contradict each other. */
export function listTextSamples(tables: Buffer): readonly TextSample[] {
  const sizes = sampleSizes(findBox(tables, 'stsz'));
  const starts = sampleStarts(findBox(tables, 'stts'));
  const chunks = chunkSampleCounts(tables);
  const samples: TextSample[] = [];
  for (const { position, sampleCount } of chunks) {
    let at = position;
    for (let index = 0; index < sampleCount; index++) {
      const sizeBytes = sizes.next().value;
      const startTicks = starts.next().value;
      if (sizeBytes === undefined || startTicks === undefined || samples.length === MAX_CHAPTERS)
        return samples;
      samples.push({ startTicks, position: at, sizeBytes });
      at += sizeBytes;
    }
  }
  return samples;
}

/** In the order of `samples`. */
export async function readTexts(
  bytes: FileBytes,
  samples: readonly TextSample[],
): Promise<readonly string[]> {
  const texts: string[] = samples.map(() => '');
  const placed = samples
    .map(({ position, sizeBytes }, index) => {
      return { index, position, end: position + Math.min(sizeBytes, MAX_SAMPLE_BYTES) };
    })
    .sort((one, other) => one.position - other.position);
  for (let first = 0; first < placed.length; ) {
    const start = placed[first]?.position ?? 0;
    let next = first + 1;
    let end = placed[first]?.end ?? 0;
    for (let sample = placed[next]; sample !== undefined; sample = placed[next]) {
      if (sample.end > start + MAX_SPAN_BYTES) break;
      end = Math.max(end, sample.end);
      next += 1;
    }
    const span = await bytes.head(start, end - start);
    for (const sample of placed.slice(first, next)) {
      texts[sample.index] = readText(span.subarray(sample.position - start, sample.end - start));
    }
    first = next;
  }
  return texts;
}

/** Its length, the text, and boxes that describe how it is displayed. */
function readText(sample: Buffer): string {
  if (sample.length < LENGTH_BYTES) return '';
  return decodeMarkedText(sample.subarray(LENGTH_BYTES, LENGTH_BYTES + sample.readUInt16BE(0)));
}

/**
 * The number of entries of `entryBytes` that are present after a table's first `headBytes`, regardless of its
 * header.
 */
function entryCount(table: Buffer, entryBytes: number, headBytes = TABLE_HEAD_BYTES): number {
  if (table.length < headBytes) return 0;
  const stated = table.readUInt32BE(headBytes - 4);
  return Math.min(stated, Math.floor((table.length - headBytes) / entryBytes));
}

function* sampleSizes(stsz: Buffer | undefined): Generator<number, undefined> {
  if (stsz === undefined || stsz.length < 12) return;
  const commonBytes = stsz.readUInt32BE(4);
  if (commonBytes > 0) {
    const sampleCount = stsz.readUInt32BE(8);
    for (let index = 0; index < sampleCount; index++) yield commonBytes;
    return;
  }
  const count = entryCount(stsz, 4, 12);
  for (let index = 0; index < count; index++) yield stsz.readUInt32BE(12 + 4 * index);
}

function* sampleStarts(stts: Buffer | undefined): Generator<number, undefined> {
  const runCount = stts === undefined ? 0 : entryCount(stts, 8);
  let ticks = 0;
  for (let run = 0; run < runCount; run++) {
    const at = TABLE_HEAD_BYTES + 8 * run;
    const sampleCount = stts?.readUInt32BE(at) ?? 0;
    const durationTicks = stts?.readUInt32BE(at + 4) ?? 0;
    for (let index = 0; index < sampleCount; index++) {
      yield ticks;
      ticks += durationTicks;
    }
  }
}

interface Chunk {
  readonly position: number;
  readonly sampleCount: number;
}

/** `stsc` gives runs of chunks with equally many samples. */
function* chunkSampleCounts(tables: Buffer): Generator<Chunk> {
  const runs = findBox(tables, 'stsc');
  const offsets32 = findBox(tables, 'stco');
  const offsets = offsets32 ?? findBox(tables, 'co64');
  if (runs === undefined || offsets === undefined) return;
  const runCount = entryCount(runs, 12);
  const chunkCount = entryCount(offsets, offsets32 === undefined ? 8 : 4);
  let run = 0;
  for (let chunk = 0; chunk < chunkCount && runCount > 0; chunk++) {
    while (run + 1 < runCount && runs.readUInt32BE(TABLE_HEAD_BYTES + 12 * (run + 1)) <= chunk + 1) run += 1;
    const position =
      offsets32 === undefined
        ? Number(offsets.readBigUInt64BE(TABLE_HEAD_BYTES + 8 * chunk))
        : offsets.readUInt32BE(TABLE_HEAD_BYTES + 4 * chunk);
    yield { position, sampleCount: runs.readUInt32BE(TABLE_HEAD_BYTES + 12 * run + 4) };
  }
}
