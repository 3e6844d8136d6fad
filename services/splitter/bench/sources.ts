/** Sources of a known length in every format that is copied, made from one and the same sound. */
import { join } from 'node:path';
import type { CopyContainer } from '../src/media/copy/copy-splitter.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

export interface Source {
  readonly name: string;
  readonly container: CopyContainer;
  readonly extension: string;
  readonly path: string;
  /** undefined where the format does not state how much of its last frame is audible. */
  readonly sampleCount: number | undefined;
}

export const SAMPLE_RATE_HZ = 44_100;
const OPUS_RATE_HZ = 48_000;

interface Recipe {
  readonly name: string;
  readonly container: CopyContainer;
  readonly extension: string;
  readonly args: readonly string[];
}

const RECIPES: readonly Recipe[] = [
  { name: 'wav', container: 'wav', extension: 'wav', args: [] },
  { name: 'mp3 128k', container: 'mp3', extension: 'mp3', args: ['-c:a', 'libmp3lame', '-b:a', '128k'] },
  { name: 'mp3 V2', container: 'mp3', extension: 'mp3', args: ['-c:a', 'libmp3lame', '-q:a', '2'] },
  { name: 'flac', container: 'flac', extension: 'flac', args: ['-c:a', 'flac'] },
  { name: 'vorbis', container: 'ogg-vorbis', extension: 'ogg', args: ['-c:a', 'libvorbis', '-q:a', '5'] },
  { name: 'opus', container: 'ogg-opus', extension: 'opus', args: ['-c:a', 'libopus', '-b:a', '96k'] },
  {
    name: 'm4a',
    container: 'm4a',
    extension: 'm4a',
    args: ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart'],
  },
  { name: 'adts', container: 'adts', extension: 'aac', args: ['-c:a', 'aac', '-b:a', '128k', '-f', 'adts'] },
];

/** Noise that swells and fades over wavering tones, different on each side: bitrates vary, no second repeats. */
function soundGraph(seconds: number): string {
  const side = (seed: number, toneHz: number): string =>
    `anoisesrc=c=pink:a=0.5:r=${SAMPLE_RATE_HZ}:d=${seconds}:seed=${seed},tremolo=f=0.${seed}:d=0.95[noise${seed}];` +
    `sine=f=${toneHz}:r=${SAMPLE_RATE_HZ}:d=${seconds},vibrato=f=0.${seed}:d=0.9,volume=2[tone${seed}];` +
    `[noise${seed}][tone${seed}]amix=inputs=2[side${seed}];`;
  return `${side(3, 330)}${side(7, 1_250)}[side3][side7]amerge=inputs=2,aformat=sample_fmts=s16:channel_layouts=stereo`;
}

/** Makes the sources in `dir`; the first one is the WAV that the others are made from. */
export async function makeSources(
  ffmpegPath: string,
  dir: string,
  seconds: number,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const { name, container, extension, args } of RECIPES) {
    const path = join(dir, `${name.replace(' ', '-')}.${extension}`);
    const master = sources[0]?.path;
    const input = master === undefined ? ['-filter_complex', soundGraph(seconds)] : ['-i', master];
    await timeCommand(ffmpegPath, ffmpegArgs(...input, ...args, path));
    sources.push({ name, container, extension, path, sampleCount: audibleSamples(container, seconds) });
  }
  return sources;
}

function audibleSamples(container: CopyContainer, seconds: number): number | undefined {
  if (container === 'adts') return undefined;
  return seconds * (container === 'ogg-opus' ? OPUS_RATE_HZ : SAMPLE_RATE_HZ);
}

export function sourceNamed(sources: readonly Source[], name: string): Source {
  const source = sources.find((candidate) => candidate.name === name);
  if (source === undefined) throw new Error(`no source is called ${name}`);
  return source;
}
