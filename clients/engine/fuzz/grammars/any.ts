import { FLAC } from './flac.ts';
import type { Grammar } from './grammar.ts';
import { MP4 } from './mp4.ts';
import { OGG } from './ogg.ts';
import { RIFF } from './riff.ts';
import { SYNC_FRAMES } from './sync-frames.ts';

/** For what takes any format: by its first bytes, as each source may be another. */
export function anyOf(words: readonly Buffer[]): Grammar {
  const all = [OGG, MP4, RIFF, FLAC, SYNC_FRAMES];
  return {
    describe: (source) => grammarOf(source).describe(source),
    repair: (source) => grammarOf(source).repair(source),
    words: [...all.flatMap((grammar) => grammar.words), ...words],
  };
}

function grammarOf(source: Buffer): Grammar {
  switch (source.toString('latin1', 0, 4)) {
    case 'OggS':
      return OGG;
    case 'fLaC':
      return FLAC;
    case 'RIFF':
    case 'RF64':
      return RIFF;
    default:
      // A box begins with its length: the first two bytes of any that fits a case are 0.
      return source[0] === 0 && source[1] === 0 ? MP4 : SYNC_FRAMES;
  }
}
