import type { CopyContainer } from '../../src/copy/copy-contract.ts';
import type { FuzzTarget } from '../engine/fuzz-target.ts';

/**
 * All targets by name. Each is loaded by itself: only the modules that it needs are instrumented, and one that
 * no longer fits the engine does not take the others with it.
 */
const LOADERS: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  'copy-mp3': () => copyTarget('mp3'),
  'copy-wav': () => copyTarget('wav'),
  'copy-flac': () => copyTarget('flac'),
  'copy-ogg-vorbis': () => copyTarget('ogg-vorbis'),
  'copy-ogg-opus': () => copyTarget('ogg-opus'),
  'copy-ogg-flac': () => copyTarget('ogg-flac'),
  'copy-matroska-opus': () => copyTarget('matroska-opus'),
  'copy-matroska-vorbis': () => copyTarget('matroska-vorbis'),
  'copy-matroska-flac': () => copyTarget('matroska-flac'),
  'copy-caf-opus': () => copyTarget('caf-opus'),
  'copy-m4a': () => copyTarget('m4a'),
  'copy-adts': () => copyTarget('adts'),
  sniff: async () => (await import('./sniff.ts')).SNIFF,
  'id3-tag': async () => (await import('./tags.ts')).ID3_TAG,
  'vorbis-comment': async () => (await import('./tags.ts')).VORBIS_COMMENT,
  ffmetadata: async () => (await import('./tags.ts')).FFMETADATA_TEXT,
  'stream-info': async () => (await import('./tags.ts')).STREAM_INFO,
  'wav-header': async () => (await import('./whole-files.ts')).WAV_HEADER,
  'pcm-heads': async () => (await import('./whole-files.ts')).PCM_HEADS,
  'ogg-page-filter': async () => (await import('./whole-files.ts')).OGG_PAGE_FILTER,
  'wma-last-frame': async () => (await import('./whole-files.ts')).WMA_LAST_FRAME,
  'wma-pro-end': async () => (await import('./whole-files.ts')).WMA_PRO_END,
  'm4a-samples': async () => (await import('./whole-files.ts')).M4A_SAMPLES,
  'm4a-duration': async () => (await import('./whole-files.ts')).M4A_DURATION,
  'mp3-padding': async () => (await import('./whole-files.ts')).MP3_PADDING,
  'source-cover': async () => (await import('./whole-files.ts')).SOURCE_COVER,
  'end-trim': async () => (await import('./whole-files.ts')).END_TRIM,
  'mp4-tracks': async () => (await import('./audio-tracks.ts')).MP4_TRACKS,
  'matroska-tracks': async () => (await import('./audio-tracks.ts')).MATROSKA_TRACKS,
  'ogg-tracks': async () => (await import('./audio-tracks.ts')).OGG_TRACKS,
  'embed-cover': async () => (await import('./whole-files.ts')).EMBED_COVER,
  'chapters-id3': async () => (await import('./chapters.ts')).ID3_CHAPTERS,
  'chapters-movie': async () => (await import('./chapters.ts')).MOVIE_CHAPTERS,
  'chapters-matroska': async () => (await import('./chapters.ts')).MATROSKA_CHAPTERS,
  'chapters-ogg': async () => (await import('./chapters.ts')).OGG_CHAPTERS,
  'chapters-flac': async () => (await import('./chapters.ts')).FLAC_CHAPTERS,
  'chapters-ape': async () => (await import('./chapters.ts')).APE_CHAPTERS,
  'flac-search': async () => (await import('./frame-search.ts')).FLAC_SEARCH,
  'ogg-search': async () => (await import('./page-search.ts')).OGG_SEARCH,
  'cue-sheet': async () => (await import('./chapters.ts')).CUE_SHEET,
};

export const TARGET_NAMES: readonly string[] = Object.keys(LOADERS);

/** Rejects for a name that is not there. */
export async function loadTarget(name: string): Promise<FuzzTarget> {
  const load = LOADERS[name];
  if (load === undefined) throw new Error(`no target ${name}; there are ${TARGET_NAMES.join(', ')}`);
  return load();
}

async function copyTarget(container: CopyContainer): Promise<FuzzTarget> {
  const { createCopyTarget } = await import('./copy-splitters.ts');
  return createCopyTarget(container);
}
