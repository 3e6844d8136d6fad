import { findElement, readElementHeader, readElements, readUnsigned } from './ebml.ts';
import { EBML_HEADER, SEGMENT, TRACKS } from './elements.ts';

export interface MatroskaTrack {
  readonly number: number;
  /** Tags refer to the track by it. */
  readonly uid: string | undefined;
  /** Such as `A_OPUS`. */
  readonly codecId: string;
  readonly codecPrivate: Buffer;
  /** Whether its frames are compressed or encrypted. */
  readonly isEncoded: boolean;
}

const TRACK_ENTRY = 0xae;
const TRACK_NUMBER = 0xd7;
const TRACK_UID = 0x73c5;
const TRACK_TYPE = 0x83;
const CODEC_ID = 0x86;
const CODEC_PRIVATE = 0x63a2;
const CONTENT_ENCODINGS = 0x6d80;
const AUDIO = 2;

/** The first audio track of a `Tracks` element. */
export function readAudioTrack(tracks: Buffer): MatroskaTrack | undefined {
  for (const { id, body } of readElements(tracks)) {
    if (id !== TRACK_ENTRY || readUnsigned(findElement(body, TRACK_TYPE)) !== AUDIO) continue;
    const codecId = findElement(body, CODEC_ID)?.toString('latin1').replace(/\0+$/, '');
    const number = readUnsigned(findElement(body, TRACK_NUMBER));
    if (codecId === undefined || codecId === '' || number === undefined) continue;
    return {
      number,
      uid: findElement(body, TRACK_UID)?.toString('hex'),
      codecId,
      codecPrivate: findElement(body, CODEC_PRIVATE) ?? Buffer.alloc(0),
      isEncoded: findElement(body, CONTENT_ENCODINGS) !== undefined,
    };
  }
  return undefined;
}

/** By ffmpeg's names; the codecs that are copied out of Matroska. */
const CODECS: ReadonlyMap<string, string> = new Map([
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_FLAC', 'flac'],
]);

/** The codec of a Matroska's first audio track, if its first bytes show it and the codec can be copied. */
export function matroskaCodec(head: Buffer): string | undefined {
  const track = leadingAudioTrack(head);
  return track && CODECS.get(track.codecId);
}

/** The first audio track, if the first bytes of a Matroska show it. */
export function leadingAudioTrack(head: Buffer): MatroskaTrack | undefined {
  const header = readElementHeader(head, 0);
  if (header?.id !== EBML_HEADER) return undefined;
  const segmentAt = header.headerBytes + header.bodyBytes;
  const segment = readElementHeader(head, segmentAt);
  if (segment?.id !== SEGMENT) return undefined;
  const tracks = findElement(head.subarray(segmentAt + segment.headerBytes), TRACKS);
  return tracks && readAudioTrack(tracks);
}
