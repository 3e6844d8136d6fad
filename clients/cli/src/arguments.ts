import type { ParseArgsConfig } from 'node:util';
import { OUTPUT_FORMATS, type SplitRequest } from '@audiosplit/client';
import { CUT_ARGUMENTS, type Cut, type Given, readCut } from './options/cut-options.ts';
import { readDestination } from './options/destination.ts';
import { readSourceHeaders, type SourceHeaders } from './options/source-headers.ts';
import { parseStrictly } from './parse-strictly.ts';
import { planTasks, type SplitTask } from './sources.ts';
import { readUrl } from './url.ts';
import { UsageError } from './usage.ts';

/** The part of a request that does not depend on where the source ends up. */
export type SplitSettings = Cut & Pick<SplitRequest, 'outputFormat' | 'destination' | 'keepCopy'>;

export interface Server {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
}

export interface SplitOrder {
  /** At least one. */
  readonly tasks: readonly SplitTask[];
  readonly settings: SplitSettings;
  /** With which the server fetches URLs; their values may be secrets. */
  readonly sourceHeaders: SourceHeaders | undefined;
  readonly force: boolean;
  /** Undefined: one that is started for this call. */
  readonly server: Server | undefined;
}

export type Command = { readonly kind: 'help' } | { readonly kind: 'split'; readonly order: SplitOrder };

export const SPLIT_OPTIONS = {
  to: { type: 'string' },
  'source-header': { type: 'string', multiple: true },
  destination: { type: 'string' },
  'no-copy': { type: 'boolean', default: false },
  out: { type: 'string' },
  force: { type: 'boolean', default: false },
  server: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

/** Relative paths are seen from `workingDir`. Throws UsageError. */
export function parseCommand(args: readonly string[], workingDir: string, env: NodeJS.ProcessEnv): Command {
  const { values, cut, positionals } = parseOptions(args, SPLIT_OPTIONS);
  if (values.help) return { kind: 'help' };
  if (positionals.length === 0) throw new UsageError('name the file or URL to split; --help shows how');
  const outputFormat = values.to === undefined ? undefined : readFormat(values.to);
  const tasks = planTasks(positionals, workingDir, values.out);
  const sourceHeaders = readSourceHeaders(values['source-header']);
  if (sourceHeaders !== undefined && tasks.some(({ source }) => source.kind !== 'url'))
    throw new UsageError('--source-header goes with URLs, which the server fetches');
  const destination = readDestination(values.destination, values['no-copy']);
  if (destination.keepCopy === false && (values.out !== undefined || values.force))
    throw new UsageError('--no-copy leaves nothing to download: --out and --force do not go with it');
  return {
    kind: 'split',
    order: {
      tasks,
      sourceHeaders,
      settings: {
        ...readCut(cut, { workingDir }),
        ...(outputFormat === undefined ? {} : { outputFormat }),
        ...destination,
      },
      force: values.force,
      server: readServer(values.server, values.key, env),
    },
  };
}

/** Throws UsageError. */
export function parseOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
) {
  const { values, positionals } = parseStrictly({
    args: joinNegativeValues(args),
    options: { ...CUT_ARGUMENTS, ...options } as O,
    allowPositionals: true,
    strict: true,
  });
  // The table is a record, so the names of its options are not in the type.
  return { values, cut: values as Given, positionals };
}

/** `--loudness -16` as `--loudness=-16`: node takes what begins with a dash for an option. */
function joinNegativeValues(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [position, arg] of args.entries()) {
    const before = args[position - 1] ?? '';
    const isValue = /^-\.?\d/.test(arg) && CUT_ARGUMENTS[before.slice(2)]?.type === 'string';
    if (isValue && before.startsWith('--')) joined[joined.length - 1] = `${before}=${arg}`;
    else joined.push(arg);
  }
  return joined;
}

export function readFormat(given: string): (typeof OUTPUT_FORMATS)[number] {
  const format = OUTPUT_FORMATS.find((name) => name === given.toLowerCase());
  if (format === undefined) throw new UsageError(`--to ${given}: choose one of ${OUTPUT_FORMATS.join(', ')}`);
  return format;
}

export function readServer(given: string, key: string | undefined, env: NodeJS.ProcessEnv): Server;
export function readServer(
  given: string | undefined,
  key: string | undefined,
  env: NodeJS.ProcessEnv,
): Server | undefined;
export function readServer(
  given: string | undefined,
  key: string | undefined,
  env: NodeJS.ProcessEnv,
): Server | undefined {
  if (given === undefined) {
    if (key === undefined) return undefined;
    throw new UsageError('--key goes with --server: name the server that it is for');
  }
  const apiKey = key ?? env.AUDIOSPLIT_KEY;
  if (apiKey === undefined || apiKey === '') {
    throw new UsageError(
      '--server needs an API key with splits:read and splits:write: set AUDIOSPLIT_KEY to it',
    );
  }
  return { baseUrl: readBaseUrl(given), apiKey };
}

/** Throws UsageError. */
export function readBaseUrl(given: string): string {
  const url = readUrl(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new UsageError(`--server ${given}: give its address, such as https://audio.example.com`);
  }
  // Addresses are often copied together with the API's own prefix.
  return url.href.replace(/\/+(?:api\/v1\/*)?$/, '');
}
