/** A short file of each format that an available encoder writes, made from the same audio. */
import { readFile } from 'node:fs/promises';
import type { SourceContainer } from '../formats/formats.ts';
import { type AudioSamples, sound } from './audio-samples.ts';

export interface CorpusFile {
  readonly name: string;
  readonly container: SourceContainer;
  /** If the first bytes show it. */
  readonly codec?: string;
  readonly encoderArgs?: readonly string[];
}

const TELEPHONE = ['-ar', '8000', '-ac', '1', '-b:a', '12.2k'];

export const FORMAT_CORPUS: readonly CorpusFile[] = [
  { name: 'a.mp3', container: 'mp3' },
  { name: 'a.mp2', container: 'mp2' },
  { name: 'a.wav', container: 'wav' },
  { name: 'rf64.wav', container: 'wav', encoderArgs: ['-rf64', 'always'] },
  { name: 'a.w64', container: 'w64' },
  { name: 'a.flac', container: 'flac' },
  { name: 'vorbis.ogg', container: 'ogg', codec: 'vorbis', encoderArgs: ['-c:a', 'libvorbis'] },
  { name: 'a.opus', container: 'ogg', codec: 'opus', encoderArgs: ['-c:a', 'libopus'] },
  { name: 'flac.ogg', container: 'ogg', codec: 'flac', encoderArgs: ['-c:a', 'flac'] },
  { name: 'speex.ogg', container: 'ogg', encoderArgs: ['-c:a', 'libspeex', '-ar', '16000'] },
  { name: 'front.m4a', container: 'mp4', codec: 'aac', encoderArgs: ['-movflags', '+faststart'] },
  {
    name: 'alac.m4a',
    container: 'mp4',
    codec: 'alac',
    encoderArgs: ['-c:a', 'alac', '-movflags', '+faststart'],
  },
  { name: 'a.aac', container: 'adts', codec: 'aac' },
  { name: 'a.mka', container: 'matroska', encoderArgs: ['-c:a', 'aac'] },
  { name: 'opus.webm', container: 'matroska', codec: 'opus', encoderArgs: ['-c:a', 'libopus'] },
  { name: 'vorbis.webm', container: 'matroska', codec: 'vorbis', encoderArgs: ['-c:a', 'libvorbis'] },
  { name: 'flac.mka', container: 'matroska', codec: 'flac', encoderArgs: ['-c:a', 'flac'] },
  { name: 'opus.caf', container: 'caf', codec: 'opus', encoderArgs: ['-c:a', 'libopus'] },
  { name: 'a.aiff', container: 'aiff' },
  { name: 'a.wma', container: 'asf' },
  { name: 'a.amr', container: 'amr', encoderArgs: TELEPHONE },
  { name: 'a.ac3', container: 'ac3' },
  { name: 'a.eac3', container: 'eac3' },
  { name: 'a.caf', container: 'caf' },
  { name: 'a.wv', container: 'wavpack' },
  { name: 'a.ts', container: 'mpegts' },
  { name: 'opus.ts', container: 'mpegts', encoderArgs: ['-c:a', 'libopus'] },
  { name: 'a.mpg', container: 'mpegps' },
  { name: 'a.flv', container: 'flv' },
  { name: 'a.avi', container: 'avi' },
  { name: 'a.au', container: 'au' },
  { name: 'a.tta', container: 'tta' },
];

export async function makeCorpusFile(
  samples: AudioSamples,
  { name, encoderArgs = [] }: CorpusFile,
): Promise<Buffer> {
  return await readFile(await samples.make(name, sound(44_100, 0.4, 'stereo'), ...encoderArgs));
}
