import type { CopyContainer, CopySplitter } from './copy-contract.ts';
import { splitMp3 } from './mp3/split-mp3.ts';
import { splitWav } from './wav/split-wav.ts';

export {
  type CopyContainer,
  CopyNotPossibleError,
  type CopyOptions,
  type CopyResult,
  type CopySplitter,
} from './copy-contract.ts';

/** undefined: this container is not copied, but decoded and encoded again. */
export function createCopySplitter(container: CopyContainer): CopySplitter | undefined {
  switch (container) {
    case 'mp3':
      return splitMp3;
    case 'wav':
      return splitWav;
    case 'flac':
    case 'ogg-vorbis':
    case 'ogg-opus':
    case 'm4a':
    case 'adts':
      return undefined;
    default:
      return container satisfies never;
  }
}
