import { readHeaderLines } from '@audiosplit/cuts/header-lines';
import { UsageError } from '../usage.ts';

export type SourceHeaders = Readonly<Record<string, string>>;

/** `Name: value`, as in curl's -H. Throws UsageError, which names no value: it may be a secret. */
export function readSourceHeaders(given: readonly string[] = []): SourceHeaders | undefined {
  if (given.length === 0) return undefined;
  const read = readHeaderLines(given);
  switch (read.kind) {
    case 'headers':
      return read.headers;
    case 'malformed':
      throw new UsageError("--source-header takes a name and a value: 'Authorization: Bearer …'");
    case 'repeated':
      throw new UsageError(`--source-header ${read.name} is given twice`);
    default:
      return read satisfies never;
  }
}
