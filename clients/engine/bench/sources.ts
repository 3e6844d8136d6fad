/** Sources of a known length in every format that is copied, made from one and the same sound. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyContainer } from '../src/copy/copy-splitter.ts';
import { ffmpegArgs, timeCommand } from './tools.ts';

export interface Source {
  readonly name: string;
  readonly container: CopyContainer;
  readonly extension: string;
  readonly path: string;
  /** A few seconds of the same kind. */
  readonly warmUpPath: string;
  /** undefined where the format does not state how much of its last frame is audible. */
  readonly sampleCount: number | undefined;
}

export const SAMPLE_RATE_HZ = 44_100;
const OPUS_RATE_HZ = 48_000;
const WARM_UP_SECONDS = 5;

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

/** Makes the sources in `dir`. */
export async function makeSources(
  ffmpegPath: string,
  dir: string,
  seconds: number,
): Promise<readonly Source[]> {
  const paths = await makeFiles(ffmpegPath, dir, seconds);
  const warmUpPaths = await makeFiles(ffmpegPath, await mkdtemp(join(dir, 'warm-up-')), WARM_UP_SECONDS);
  return RECIPES.map(({ name, container, extension }, index) => ({
    name,
    container,
    extension,
    path: paths[index] ?? '',
    warmUpPath: warmUpPaths[index] ?? '',
    sampleCount: audibleSamples(container, seconds),
  }));
}

/** One file by every recipe; the first is the WAV that the others are made from. */
async function makeFiles(ffmpegPath: string, dir: string, seconds: number): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { name, extension, args } of RECIPES) {
    const path = join(dir, `${name.replace(' ', '-')}.${extension}`);
    const [master] = paths;
    const input = master === undefined ? ['-filter_complex', soundGraph(seconds)] : ['-i', master];
    await timeCommand(ffmpegPath, ffmpegArgs(...input, ...args, path));
    paths.push(path);
  }
  return paths;
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
