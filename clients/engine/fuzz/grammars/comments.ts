/** Vorbis comments: a vendor string, a count, and entries, each with its length in front. */
import { type Anatomy, type Field, type Grammar, type Part, words } from './grammar.ts';

const MAX_ENTRIES = 100;

export function describeComments(source: Buffer, start: number): Anatomy {
  const fields: Field[] = [];
  const parts: Part[] = [];
  let at = start;
  function text(): void {
    const end = at + 4 + (at + 4 <= source.length ? source.readUInt32LE(at) : 0);
    fields.push({ at, byteCount: 4, order: 'little', covers: { start: at + 4, end } });
    parts.push({ start: at, end: Math.min(end, source.length) });
    at = end;
  }
  text();
  fields.push({ at, byteCount: 4, order: 'little' });
  at += 4;
  for (let entry = 0; entry < MAX_ENTRIES && at + 4 <= source.length; entry++) text();
  return {
    fields: fields.filter((field) => field.at + field.byteCount <= source.length),
    parts: parts.filter((part) => part.start < part.end),
  };
}

export const COMMENTS: Grammar = {
  describe: (source) => describeComments(source, 0),
  repair: () => undefined,
  words: words(
    'TITLE=',
    'TRACKNUMBER=',
    'track=',
    '=',
    'CHAPTER001=00:00:01.000',
    'CHAPTER001NAME=',
    'CUESHEET=',
  ),
};
