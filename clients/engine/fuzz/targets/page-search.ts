import { createPageSearch } from '../../src/copy/ogg/page-search.ts';
import { openOggStream } from '../../src/copy/ogg/stream-walker.ts';
import { createVorbisCodec } from '../../src/copy/ogg/vorbis-headers.ts';
import { OGG } from '../grammars/ogg.ts';
import { vorbisSeeds } from '../seeds/ogg.ts';
import { placeSearchTarget } from './place-search-target.ts';

export const OGG_SEARCH = placeSearchTarget(
  { name: 'ogg-search', grammar: OGG, seeds: vorbisSeeds },
  async (file, reader, parameter) => {
    const stream = await openOggStream(reader, createVorbisCodec(0));
    for await (const [page] of stream.pages) {
      const position = page?.page.start;
      if (position === undefined) continue;
      return {
        search: createPageSearch(file, stream, 64 + (parameter % 397)),
        from: { position, sample: 0 },
      };
    }
    return undefined;
  },
);
