import { splitAdts } from './adts/split-adts.ts';
import { splitCafOpus } from './caf/split-caf.ts';
import type { CopyContainer, CopySplitter } from './copy-contract.ts';
import { createFlacSplitter } from './flac/split-flac.ts';
import { splitM4a } from './m4a/split-m4a.ts';
import {
  createMatroskaFlacSplitter,
  splitMatroskaOpus,
  splitMatroskaVorbis,
} from './matroska/split-matroska.ts';
import { splitMp3 } from './mp3/split-mp3.ts';
import { createOggFlacSplitter } from './ogg/split-ogg-flac.ts';
import { splitOpus } from './ogg/split-opus.ts';
import { splitVorbis } from './ogg/split-vorbis.ts';
import { splitWav } from './wav/split-wav.ts';

export {
  type CopyContainer,
  CopyNotPossibleError,
  type CopyOptions,
  type CopyResult,
  type CopySplitter,
} from './copy-contract.ts';

/** undefined: this container is not copied but decoded and encoded again. */
export function createCopySplitter(
  container: CopyContainer,
  { audioMd5 = false }: { readonly audioMd5?: boolean } = {},
): CopySplitter | undefined {
  switch (container) {
    case 'mp3':
      return splitMp3;
    case 'wav':
      return splitWav;
    case 'flac':
      return createFlacSplitter({ audioMd5 });
    case 'ogg-vorbis':
      return splitVorbis;
    case 'ogg-opus':
      return splitOpus;
    case 'ogg-flac':
      return createOggFlacSplitter(createFlacSplitter({ audioMd5 }));
    case 'matroska-opus':
      return splitMatroskaOpus;
    case 'matroska-vorbis':
      return splitMatroskaVorbis;
    case 'matroska-flac':
      return createMatroskaFlacSplitter(createFlacSplitter({ audioMd5 }));
    case 'caf-opus':
      return splitCafOpus;
    case 'm4a':
      return splitM4a;
    case 'adts':
      return splitAdts;
    default:
      return container satisfies never;
  }
}
