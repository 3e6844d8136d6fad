/** Takes movies of AAC apart and builds them, for tests. */
import assert from 'node:assert/strict';
import { type AudioTrack, readAudioTrack } from '../m4a/audio-track.ts';
import { createBox, findBox, readBoxes } from '../m4a/boxes.ts';
import { createSegmentMovie } from '../m4a/segment-movie.ts';

export interface Movie {
  readonly track: AudioTrack;
  readonly frames: readonly Buffer[];
}

/** Movies of one chunk of frames, as both ffmpeg and the splitter write them. */
export function readMovie(file: Buffer): Movie {
  const moov = findBox(file, 'moov');
  assert.ok(moov);
  const track = readAudioTrack(moov);
  const frames: Buffer[] = [];
  let frameIndex = 0;
  for (const { offset, frameCount } of track.chunks()) {
    let at = offset;
    for (let left = frameCount; left > 0; left--, frameIndex++) {
      const end = at + track.frameBytes(frameIndex);
      frames.push(file.subarray(at, end));
      at = end;
    }
  }
  return { track, frames };
}

/** Time is counted in samples of the core. */
export function asMovie({ track, frames }: Movie, config: string): Buffer {
  const described: AudioTrack = {
    ...track,
    sampleDescription: sampleDescription(track.sampleDescription, config),
    frameBytes: (index) => frames[index]?.length ?? 0,
  };
  const endSample = frames.length * track.config.frameSamples;
  const span = { firstFrame: 0, endFrame: frames.length, startSample: 0, endSample };
  return Buffer.concat([createSegmentMovie(described, span, Buffer.alloc(0)), ...frames]);
}

/** The same file with another configuration and its index after its frames. */
export function withConfig(file: Buffer, config: string): Buffer {
  const replace = (body: Buffer): Buffer =>
    Buffer.concat(
      [...readBoxes(body)].map((box) => {
        if (box.type === 'stsd') return createBox('stsd', sampleDescription(box.body, config));
        const isParent = ['moov', 'trak', 'mdia', 'minf', 'stbl'].includes(box.type);
        return createBox(box.type, isParent ? replace(box.body) : box.body);
      }),
    );
  return replace(file);
}

const SOUND_ENTRY_BYTES = 28;

function sampleDescription(original: Buffer, config: string): Buffer {
  const descriptor = (tag: number, ...parts: readonly Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.of(tag, body.length), body]);
  };
  const [entry] = readBoxes(original.subarray(8));
  assert.ok(entry);
  const specific = descriptor(5, Buffer.from(config, 'hex'));
  const decoder = descriptor(4, Buffer.of(0x40, 0x15), Buffer.alloc(11), specific);
  const stream = descriptor(3, Buffer.alloc(3), decoder, descriptor(6, Buffer.of(2)));
  const esds = createBox('esds', Buffer.alloc(4), stream);
  const sound = entry.body.subarray(0, SOUND_ENTRY_BYTES);
  return Buffer.concat([original.subarray(0, 8), createBox('mp4a', sound, esds)]);
}
