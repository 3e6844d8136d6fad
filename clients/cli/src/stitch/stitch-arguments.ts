import { extname, resolve } from 'node:path';
import type { TranscriptFormat } from '@audiosplit/client';
import { parseStrictly } from '../parse-strictly.ts';
import { UsageError } from '../usage.ts';

export const STITCH_OPTIONS = {
  to: { type: 'string' },
  out: { type: 'string' },
  force: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

const FORMATS: Readonly<Record<string, TranscriptFormat>> = {
  text: 'text',
  txt: 'text',
  srt: 'srt',
  vtt: 'vtt',
  json: 'json',
};

/** Paths are absolute. */
export interface StitchOrder {
  /** A folder with a manifest, or a file that lists segments. */
  readonly segments: string;
  /** In the order of the segments. Empty: those that lie beside the segments. */
  readonly transcripts: readonly string[];
  readonly format: TranscriptFormat;
  /** Undefined: standard output. */
  readonly out: string | undefined;
  readonly force: boolean;
}

/** Undefined: the help is wanted. Throws UsageError. */
export function parseStitchOrder(args: readonly string[], workingDir: string): StitchOrder | undefined {
  const { values, positionals } = parseStrictly({
    args: [...args],
    options: STITCH_OPTIONS,
    allowPositionals: true,
    strict: true,
  });
  if (values.help) return undefined;
  const [segments, ...transcripts] = positionals.map((path) => resolve(workingDir, path));
  if (segments === undefined)
    throw new UsageError('name the folder of the segments, or its manifest.json; --help shows how');
  return {
    segments,
    transcripts,
    format: formatOf(values.to, values.out),
    out: values.out === undefined ? undefined : resolve(workingDir, values.out),
    force: values.force,
  };
}

function formatOf(to: string | undefined, out: string | undefined): TranscriptFormat {
  const named = to === undefined ? undefined : FORMATS[to.toLowerCase()];
  if (to !== undefined && named === undefined)
    throw new UsageError(`--to ${to}: choose one of text, srt, vtt, json`);
  return (
    named ??
    FORMATS[
      extname(out ?? '')
        .slice(1)
        .toLowerCase()
    ] ??
    'text'
  );
}
