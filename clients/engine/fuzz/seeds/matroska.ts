import {
  AUDIO,
  block,
  blockGroup,
  cluster,
  EBML,
  element,
  segment,
  simpleBlock,
  simpleTag,
  trackEntry,
  tracks,
  UNKNOWN,
  VIDEO,
} from '../../src/copy/testing/matroska.ts';
import { createCase } from '../engine/fuzz-case.ts';
import { ascii, FILLER_BYTES, little, noise, times } from './bytes.ts';
import { flacParts } from './flac.ts';
import { OPUS_HEAD, opusPacket, VORBIS_COMMENT, VORBIS_HEAD, vorbisPacket, vorbisSetup } from './ogg.ts';

const TRACK = 2;

interface Sound {
  readonly codecId: string;
  readonly codecPrivate: Buffer;
}

function file({ codecId, codecPrivate }: Sound, clusters: readonly Buffer[], size?: typeof UNKNOWN): Buffer {
  const pictures = trackEntry({ number: 1, type: VIDEO, codecId: 'V_VP9' });
  const sound = trackEntry({ number: TRACK, type: AUDIO, codecId, codecPrivate });
  const info = element(0x1549a966, element(0x7ba9, 'title'));
  const tags = element(0x1254c367, element(0x7373, simpleTag('ARTIST', 'x')));
  return Buffer.concat([EBML, segment([info, tracks(pictures, sound), tags, ...clusters], size)]);
}

function singly(frames: readonly Buffer[], discardNs?: number): readonly Buffer[] {
  return frames.map((frame, index) =>
    index === frames.length - 1 ? blockGroup(TRACK, [frame], discardNs) : simpleBlock(TRACK, [frame]),
  );
}

const OPUS: Sound = { codecId: 'A_OPUS', codecPrivate: OPUS_HEAD };

export function matroskaOpusSeeds(): readonly Buffer[] {
  const packets = times(40, opusPacket);
  const alike = times(8, () => opusPacket(1));
  const laced = [
    simpleBlock(TRACK, packets.slice(0, 10), 'xiph'),
    simpleBlock(TRACK, packets.slice(10, 20), 'ebml'),
    simpleBlock(TRACK, alike, 'fixed'),
    element(0xa0, element(0xa1, block(TRACK, packets.slice(20, 24), 'xiph'))),
  ];
  const picture = simpleBlock(1, [noise(300)]);
  const filler = element(0xec, Buffer.alloc(1), FILLER_BYTES + 1);
  const behindFiller = file(OPUS, [filler, cluster(singly(packets))]);
  return [
    createCase(file(OPUS, [cluster(singly(packets, 20_000_000))])),
    createCase(file(OPUS, [cluster([picture, ...laced, picture]), cluster(singly(packets))])),
    createCase(file(OPUS, [cluster(singly(packets), UNKNOWN), cluster(laced, UNKNOWN)], UNKNOWN)),
    createCase(behindFiller, {
      repeat: { at: behindFiller.indexOf(filler) + 9, byteCount: 1, times: FILLER_BYTES },
    }),
  ];
}

export function matroskaVorbisSeeds(): readonly Buffer[] {
  const lengths = Buffer.of(2, VORBIS_HEAD.length, VORBIS_COMMENT.length);
  const codecPrivate = Buffer.concat([lengths, VORBIS_HEAD, VORBIS_COMMENT, vorbisSetup()]);
  const packets = times(40, vorbisPacket);
  const sound = { codecId: 'A_VORBIS', codecPrivate };
  return [
    createCase(file(sound, [cluster(singly(packets, 10_000_000))])),
    createCase(file(sound, [cluster([simpleBlock(TRACK, packets.slice(0, 9), 'ebml')])])),
  ];
}

export function matroskaFlacSeeds(): readonly Buffer[] {
  const { streamInfo, comments, frames } = flacParts();
  const sound = { codecId: 'A_FLAC', codecPrivate: Buffer.concat([ascii('fLaC'), streamInfo, comments]) };
  return [
    createCase(file(sound, [cluster(singly(frames))])),
    createCase(file(sound, [cluster([simpleBlock(TRACK, frames, 'xiph')])], UNKNOWN)),
  ];
}

export function matroskaWmaSeeds(): readonly Buffer[] {
  const blockBytes = 40;
  const own = Buffer.concat([little(4, 0), little(2, 3), little(4, 0)]);
  const format = [little(2, 0x161, 1), little(4, 8_000, 1_000), little(2, blockBytes, 16, own.length), own];
  const sound = { codecId: 'A_MS/ACM', codecPrivate: Buffer.concat(format) };
  const blocks = times(3, () => noise(blockBytes));
  return [
    createCase(file(sound, [cluster(singly(blocks))], UNKNOWN), { chunking: 2 }),
    createCase(file(sound, [cluster(singly(blocks))])),
  ];
}
