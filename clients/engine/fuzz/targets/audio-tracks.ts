/** The lists of audio tracks that are read here, and the files with one of them. */
import { unlinkSync } from 'node:fs';
import type { AudioTracks } from '../../src/convert/input/tracks/audio-tracks.ts';
import { matroskaTracks } from '../../src/convert/input/tracks/matroska-tracks.ts';
import { mp4Tracks } from '../../src/convert/input/tracks/mp4-tracks.ts';
import { copyOggStream } from '../../src/convert/input/tracks/ogg-tracks.ts';
import type { LocalFile } from '../../src/source/local-file.ts';
import type { FuzzCase } from '../engine/fuzz-case.ts';
import { assertHolds } from '../engine/fuzz-target.ts';
import { EBML } from '../grammars/ebml.ts';
import { MP4 } from '../grammars/mp4.ts';
import { OGG } from '../grammars/ogg.ts';
import { m4aSeeds } from '../seeds/m4a.ts';
import { matroskaOpusSeeds } from '../seeds/matroska.ts';
import { vorbisSeeds } from '../seeds/ogg.ts';
import { fileParserTarget } from './parser-target.ts';

export const MP4_TRACKS = fileParserTarget('mp4-tracks', MP4, m4aSeeds, (path, fuzzCase) =>
  isolateOne(mp4Tracks, path, fuzzCase),
);

export const MATROSKA_TRACKS = fileParserTarget(
  'matroska-tracks',
  EBML,
  matroskaOpusSeeds,
  (path, fuzzCase) => isolateOne(matroskaTracks, path, fuzzCase),
);

async function isolateOne(
  list: (file: LocalFile) => Promise<AudioTracks | undefined>,
  path: string,
  { source, parameter }: FuzzCase,
): Promise<void> {
  const tracks = await list({ path, sizeBytes: source.length });
  const count = tracks?.languages.length ?? 0;
  if (tracks === undefined || count === 0) return;
  const one = await tracks.isolate(parameter % count, `${path}.track`);
  try {
    assertHolds(one.sizeBytes === source.length, 'no byte moves');
    assertHolds((await list(one))?.languages.length === 1, 'one track is left');
  } finally {
    unlinkSync(one.path);
  }
}

export const OGG_TRACKS = fileParserTarget(
  'ogg-tracks',
  OGG,
  vorbisSeeds,
  async (path, { source, parameter }) => {
    const file = { path, sizeBytes: source.length };
    const one = await copyOggStream(file, parameter % 4, `${path}.track`, new AbortController().signal);
    try {
      assertHolds(one.sizeBytes <= source.length, 'nothing is added');
    } finally {
      unlinkSync(one.path);
    }
  },
);
