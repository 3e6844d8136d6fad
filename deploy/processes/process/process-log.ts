/** The log file of a process, and the last error in it. */
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync } from 'node:fs';

export interface ProcessLog {
  readonly path: string;
  /** A file descriptor for appending, to be inherited by a process. The caller closes its own copy. */
  open(): number;
  /** In one line. Cheap to call often, because it reads only new content. */
  lastError(): string | undefined;
  tail(lineCount: number): string;
}

const READ_AT_MOST_BYTES = 256 * 1024;
/** pino's number for `error`; `fatal` is 60. */
const ERROR_LEVEL = 50;

/** The log of the previous run is kept as `….previous`. */
export function createProcessLog(path: string): ProcessLog {
  if (existsSync(path)) renameSync(path, `${path}.previous`);
  closeSync(openSync(path, 'w', 0o600));
  const reader = openSync(path, 'r');
  const buffer = Buffer.alloc(READ_AT_MOST_BYTES);
  let incomplete = '';
  let lastError: string | undefined;
  return {
    path,
    open: () => openSync(path, 'a', 0o600),
    lastError() {
      for (;;) {
        const length = readSync(reader, buffer);
        if (length === 0) return lastError;
        const lines = (incomplete + buffer.toString('utf8', 0, length)).split('\n');
        incomplete = lines.pop() ?? '';
        const found = lines.findLast(isError);
        if (found !== undefined) lastError = describeLine(found);
      }
    },
    tail: (lineCount) => readFileSync(path, 'utf8').trimEnd().split('\n').slice(-lineCount).join('\n'),
  };
}

interface LogEntry {
  readonly level?: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
}

/**
 * Lines without JSON come from a crashing process or from other programs; an indented line continues the one
 * before.
 */
function isError(line: string): boolean {
  const entry = parseEntry(line);
  return entry === undefined ? /^\S/.test(line) : (entry.level ?? 0) >= ERROR_LEVEL;
}

function describeLine(line: string): string {
  const entry = parseEntry(line);
  if (entry === undefined) return line;
  const { msg = '', err } = entry;
  return err?.message === undefined || msg.includes(err.message) ? msg : `${msg}: ${err.message}`;
}

function parseEntry(line: string): LogEntry | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}
