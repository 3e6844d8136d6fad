import { createFrameSearch } from '../../src/copy/flac/frame-search.ts';
import { readFlacHead } from '../../src/copy/flac/stream-head.ts';
import { FLAC } from '../grammars/flac.ts';
import { flacSeeds } from '../seeds/flac.ts';
import { placeSearchTarget } from './place-search-target.ts';

export const FLAC_SEARCH = placeSearchTarget(
  { name: 'flac-search', grammar: FLAC, seeds: flacSeeds },
  async (file, reader, parameter) => {
    const head = await readFlacHead(reader, 0);
    const start = reader.position;
    const search = createFrameSearch(file, head, { start, lookBytes: 32 + (parameter % 97) });
    return { search, from: { position: start, sample: 0 } };
  },
);
