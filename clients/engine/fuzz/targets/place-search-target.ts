import { CopyNotPossibleError } from '../../src/copy/copy-contract.ts';
import { type ByteReader, openByteReader } from '../../src/copy/source/byte-reader.ts';
import type { PlaceSearch, SourcePlace } from '../../src/copy/source/place-search.ts';
import { MediaError } from '../../src/media-error.ts';
import { createLocalFileReader, type LocalFile } from '../../src/source/local-file.ts';
import { assertHolds, type FuzzTarget } from '../engine/fuzz-target.ts';
import type { Grammar } from '../grammars/grammar.ts';
import { fileParserTarget } from './parser-target.ts';

interface OpenSearch {
  readonly search: PlaceSearch;
  readonly from: SourcePlace;
}

/**
 * What searches a file for a place. The parameter says how much is read at one place, and which sample is searched for.
 * `open` reads the head; undefined where there is nothing to search.
 */
export function placeSearchTarget(
  {
    name,
    grammar,
    seeds,
  }: { readonly name: string; readonly grammar: Grammar; readonly seeds: FuzzTarget['seeds'] },
  open: (file: LocalFile, reader: ByteReader, parameter: number) => Promise<OpenSearch | undefined>,
): FuzzTarget {
  return fileParserTarget(name, grammar, seeds, async (path, { source, parameter }) => {
    const file = { path, sizeBytes: source.length };
    const { signal } = new AbortController();
    await using reader = openByteReader(createLocalFileReader(file).chunks(), {
      signal,
      onBytes: () => undefined,
    });
    try {
      const opened = await open(file, reader, parameter);
      if (opened === undefined) return;
      const { search, from } = opened;
      for (const sample of [parameter * 16, Number.POSITIVE_INFINITY]) {
        const found = await search.before(sample, from);
        if (found === undefined) continue;
        assertHolds(
          found.position > from.position && found.position < source.length,
          'it lies in the source',
        );
        assertHolds(found.sample > 0 && found.sample < sample, 'it lies before the sample');
      }
    } catch (error) {
      if (!(error instanceof CopyNotPossibleError || error instanceof MediaError)) throw error;
    }
  });
}
