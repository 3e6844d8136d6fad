import { readHeaderLines } from '@audiosplit/cuts/header-lines';
import type { Parsed } from './cut.ts';

export type SourceHeaders = Readonly<Record<string, string>>;

/** An object in a bucket is fetched with the key of its connection. */
export function takesHeaders(sourceUrl: string): boolean {
  return !sourceUrl.startsWith('s3:');
}

/** `Name: value`, one a line. */
export function readSourceHeaders(text: string): Parsed<SourceHeaders> {
  const lines = text.split('\n').map((line) => line.trim());
  const read = readHeaderLines(lines.filter((line) => line !== ''));
  switch (read.kind) {
    case 'headers':
      return { value: read.headers };
    case 'malformed':
      return { problem: 'Enter a name and a value on each line, as in Authorization: Bearer …' };
    case 'repeated':
      return { problem: `${read.name} is there twice.` };
    default:
      return read satisfies never;
  }
}

/** Of the call that creates a job. */
export function givenHeaders(sourceHeaders: SourceHeaders): { readonly sourceHeaders?: SourceHeaders } {
  return Object.keys(sourceHeaders).length === 0 ? {} : { sourceHeaders };
}

/** As they may be shown. */
export function withoutValues(headers: SourceHeaders): SourceHeaders {
  return Object.fromEntries(Object.keys(headers).map((name) => [name, '…']));
}
