/** How much of a byte limit the segments use, and whether one is ever over it. */
import type { OutputFormat } from '../src/formats/formats.ts';
import { type Bench, type Row, splitInChild } from './measure.ts';
import { type Source, sourceNamed } from './sources.ts';

const LIMITS: readonly { readonly name: string; readonly bytes: number; readonly goal: number }[] = [
  { name: '64 KiB', bytes: 65_536, goal: 0.98 },
  { name: '1 MB', bytes: 1_000_000, goal: 0.995 },
  { name: '5 MB', bytes: 5_000_000, goal: 0.995 },
];
const CONVERSIONS: readonly (readonly [string, OutputFormat])[] = [
  ['wav', 'mp3'],
  ['mp3 V2', 'aac'],
  ['flac', 'ogg'],
];

/** Sizes do not depend on the machine's mood: one run each. */
export async function measureFill(bench: Bench): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const limit of LIMITS) {
    for (const source of bench.sources) rows.push(await fillRow(bench, limit, source, undefined));
  }
  const [, oneMegabyte] = LIMITS;
  if (oneMegabyte !== undefined) {
    for (const [name, outputFormat] of CONVERSIONS)
      rows.push(await fillRow(bench, oneMegabyte, sourceNamed(bench.sources, name), outputFormat));
  }
  return rows;
}

async function fillRow(
  bench: Bench,
  limit: (typeof LIMITS)[number],
  source: Source,
  outputFormat: OutputFormat | undefined,
): Promise<Row> {
  const cut = { mode: 'fileSize', maxFileSizeBytes: limit.bytes } as const;
  const request = outputFormat === undefined ? { cut } : { cut, outputFormat };
  const { segments } = await splitInChild(bench, source, request);
  bench.progress(`${limit.name} ${source.name} → ${outputFormat ?? 'copy'}: ${segments.length} segments`);
  const over = segments.filter((segment) => segment.sizeBytes > limit.bytes).length;
  // The last one holds the rest.
  const fills = segments.slice(0, -1).map((segment) => segment.sizeBytes / limit.bytes);
  const mean = fills.reduce((sum, fill) => sum + fill, 0) / fills.length;
  const filled =
    fills.length === 0 ? '' : `fill ${mean.toFixed(4)}, least ${Math.min(...fills).toFixed(4)}; `;
  // A source that fits into one segment says nothing about filling.
  const isFilled = fills.length === 0 ? undefined : mean >= limit.goal;
  return {
    measure: `${limit.name} ${source.name} → ${outputFormat ?? 'copy'}`,
    engine: `${segments.length} segments`,
    reference: '',
    result: `${filled}${over} over`,
    goal: `0 over, fill ≥ ${limit.goal}`,
    isMet: over > 0 ? false : isFilled,
  };
}
