/** The sources to be split, and the output folder of each. */
import { basename, extname, resolve } from 'node:path';
import { readUrl } from './url.ts';
import { UsageError } from './usage.ts';

export type Source =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'stdin' };

export interface SplitTask {
  readonly source: Source;
  /** Absolute. */
  readonly outDir: string;
}

/** Relative paths are seen from `workingDir`. Throws UsageError, also where two sources would be written over one another. */
export function planTasks(
  given: readonly string[],
  workingDir: string,
  out: string | undefined,
): readonly SplitTask[] {
  const sources = given.map((each) => readSource(each, workingDir));
  const isOne = sources.length === 1;
  const tasks = sources.map((source): SplitTask => {
    const own = isOne && out !== undefined ? out : `${out ?? 'segments'}/${baseNameOf(source)}`;
    return { source, outDir: resolve(workingDir, own) };
  });
  const taken = new Map<string, SplitTask>();
  for (const task of tasks) {
    // Many file systems take no notice of case, or of how an accent is written.
    const place = task.outDir.normalize('NFC').toLowerCase();
    const other = taken.get(place);
    if (other !== undefined) throw collision(other, task);
    taken.set(place, task);
  }
  return tasks;
}

function collision({ source }: SplitTask, other: SplitTask): UsageError {
  const [one, two] = [sourceText(source), sourceText(other.source)];
  if (one === two) return new UsageError(`${one} is given twice`);
  return new UsageError(
    `${one} and ${two} would both be written into ${other.outDir}: split them one after the other, each with its own --out`,
  );
}

/** As it was given, with the whole path of a file. */
export function sourceText(source: Source): string {
  switch (source.kind) {
    case 'file':
      return source.path;
    case 'url':
      return source.url;
    case 'stdin':
      return '-';
    default:
      return source satisfies never;
  }
}

/** Name of the source without folder and extension; a plain file name whatever a URL holds. */
export function baseNameOf(source: Source): string {
  const name = fileNameOf(source);
  const base = basename(name, extname(name)).replace(/[\p{Cc}/\\:*?"<>|]/gu, '_');
  return /^\.*$/.test(base) ? 'audio' : base;
}

function fileNameOf(source: Source): string {
  switch (source.kind) {
    case 'file':
      return basename(source.path);
    case 'url':
      return lastPathPart(source.url);
    case 'stdin':
      return 'stdin';
    default:
      return source satisfies never;
  }
}

function readSource(given: string, workingDir: string): Source {
  if (given === '-') return { kind: 'stdin' };
  if (given === '') throw new UsageError('a name of a file is empty; --help shows how');
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) return { kind: 'file', path: resolve(workingDir, given) };
  const url = readUrl(given);
  if (url === null || !/^(?:https?|s3):$/.test(url.protocol)) {
    throw new UsageError(
      `${given} is neither a file nor a URL that begins with http:// or https://, or s3:// and a connection`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('the URL must not hold a user name or password: download the file first');
  }
  return { kind: 'url', url: given };
}

function lastPathPart(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
