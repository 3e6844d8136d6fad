/** The input of a waveform: a segment, whose name shows its container, or an upload, whose first bytes do. */
import { extname } from 'node:path/posix';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { SourceContainer } from '@audiosplit/engine/formats/formats';
import { MediaError } from '@audiosplit/engine/media-error';
import { bytesToSniff, sniff } from '@audiosplit/engine/sniff/sniff';
import { joined, readHead } from '@audiosplit/engine/source/source-head';
import type { OpenWaveformFile } from '@audiosplit/engine/waveform/draw-waveform';
import { UPLOADS_PREFIX } from '../source/uploaded-source.ts';

/** By the extension of the object. */
const CONTAINERS: Readonly<Record<string, SourceContainer>> = {
  '.mp3': 'mp3',
  '.wav': 'wav',
  '.flac': 'flac',
  '.ogg': 'ogg',
  '.opus': 'ogg',
  '.m4a': 'mp4',
  '.aac': 'adts',
};

/** Throws UNSUPPORTED_MEDIA, also for an upload of another account. */
export async function openDrawnObject(
  store: ObjectStore,
  accountId: string,
  key: string,
): Promise<OpenWaveformFile> {
  if (!key.startsWith(UPLOADS_PREFIX)) {
    const container = CONTAINERS[extname(key)];
    if (container === undefined) throw unknownFormat();
    return { container, bytes: (await store.get(key)).body };
  }
  if (!key.startsWith(`${UPLOADS_PREFIX}${accountId}/`)) throw unknownFormat();
  const chunks = (await store.get(key)).body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  try {
    const head = await readHead(chunks, bytesToSniff);
    return { container: sniff(head).container, bytes: joined(head, chunks) };
  } catch (error) {
    await chunks.return?.();
    throw error;
  }
}

function unknownFormat(): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', 'The format is not known.');
}
