/** What stitching needs of segments: their times, and where a transcript of each may lie. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { MANIFEST_FILE } from '../split/manifest.ts';
import { UsageError } from '../usage.ts';

export interface Piece {
  readonly startTime: number;
  readonly contentStart?: number;
  readonly endTime: number;
  /** Path of its file; undefined where the list does not name one. */
  readonly path: string | undefined;
}

/** Of a folder with a manifest, or a file: a manifest, a job of the API, or lines of `audiosplit cut --json`. */
export async function readPieces(path: string): Promise<readonly Piece[]> {
  const isFolder = (await stat(path)).isDirectory();
  const file = isFolder ? join(path, MANIFEST_FILE) : path;
  const listed = segmentsIn(await readFile(file, 'utf8'));
  if (listed === undefined) throw new UsageError(`${file} lists no segments`);
  return listed.map((each) => readPiece(each, file));
}

function segmentsIn(text: string): readonly unknown[] | undefined {
  const value = parse(text) ?? text.trim().split('\n').map(parse);
  const list = Array.isArray(value) ? value : 'segments' in value ? value.segments : [value];
  return Array.isArray(list) && list.every(hasTimes) ? list : undefined;
}

function parse(text: string): object | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function hasTimes(segment: unknown): boolean {
  const { startTime, endTime } = Object(segment);
  return typeof startTime === 'number' && typeof endTime === 'number';
}

function readPiece(segment: unknown, listedIn: string): Piece {
  const { startTime, contentStart, endTime, file, fileName = file, path } = Object(segment);
  const named = typeof fileName === 'string' ? join(dirname(listedIn), fileName) : undefined;
  return {
    startTime,
    ...(typeof contentStart === 'number' ? { contentStart } : {}),
    endTime,
    path: typeof path === 'string' ? path : named,
  };
}

/** `talk-0.json` or `talk-0.mp3.json` beside `talk-0.mp3`. Throws UsageError where neither is there. */
export async function findTranscript({ path }: Piece, index: number): Promise<string> {
  if (path === undefined)
    throw new UsageError('the segments have no names: give a transcript for each, in their order');
  const candidates = [`${path.slice(0, path.length - extname(path).length)}.json`, `${path}.json`];
  for (const candidate of candidates) {
    if (await isFile(candidate)) return candidate;
  }
  throw new UsageError(`segment ${index} has no transcript: there is no ${candidates.join(', and no ')}`);
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}
