/** Lines of text. */
import { type Anatomy, type Grammar, type Part, words } from './grammar.ts';

export const TEXT: Grammar = {
  describe(source): Anatomy {
    const parts: Part[] = [];
    for (let start = 0; start < source.length && parts.length < 200; ) {
      const newline = source.indexOf(10, start);
      const end = newline < 0 ? source.length : newline + 1;
      parts.push({ start, end });
      start = end;
    }
    return { fields: [], parts };
  },
  repair: () => undefined,
  words: words(
    ...[
      'title=',
      'artist=',
      '\\\n',
      '\\\\',
      '=',
      ';',
      '#',
      '[STREAM]',
      '\n',
      '\u0000',
      ', s32 (24 bit)',
      ' (0 bit)',
    ],
    ...['  Stream #0:0: Audio: ', ', fltp', '(und)', 'Audio: ', '    Stream #0:1(und): Video: '],
  ),
};
