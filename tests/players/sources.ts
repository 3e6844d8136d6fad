/** Speech-like sources in the five formats and Opus, tagged and with a cover where ffmpeg can write one. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SAMPLE_RATE_HZ } from '../../clients/engine/bench/sources.ts';
import { ffmpegArgs, timeCommand } from '../../clients/engine/bench/tools.ts';
import { writeSpeech } from './speech.ts';

export interface PlayedSource {
  readonly name: string;
  readonly path: string;
  readonly sampleCount: number;
  /** Not Opus, which is only copied. */
  readonly isOutputFormat: boolean;
}

interface Recipe {
  readonly name: string;
  readonly encode: readonly string[];
  readonly hasCover?: true;
  /** By default that of the sound. */
  readonly sampleRateHz?: number;
}

const RECIPES: readonly Recipe[] = [
  { name: 'wav', encode: ['-c:a', 'pcm_s16le'] },
  { name: 'mp3', encode: ['-c:a', 'libmp3lame', '-q:a', '2'], hasCover: true },
  { name: 'flac', encode: ['-c:a', 'flac'], hasCover: true },
  { name: 'ogg', encode: ['-c:a', 'libvorbis', '-q:a', '5'] },
  { name: 'm4a', encode: ['-c:a', 'aac', '-b:a', '128k'] },
  { name: 'opus', encode: ['-c:a', 'libopus', '-b:a', '96k'], sampleRateHz: 48_000 },
];

const TAGS = ['-metadata', 'title=A long talk', '-metadata', 'artist=Nobody', '-metadata', 'track=7'];

/** Makes the sources in `dir`, `report`ing each. */
export async function makePlayedSources(
  ffmpegPath: string,
  dir: string,
  seconds: number,
  report: (line: string) => void,
): Promise<readonly PlayedSource[]> {
  const speech = join(dir, 'speech.raw');
  await writeSpeech(speech, seconds);
  const sound = ['-f', 's16le', '-ar', String(SAMPLE_RATE_HZ), '-ac', '2', '-i', speech];
  const cover = join(dir, 'cover.png');
  await timeCommand(
    ffmpegPath,
    ffmpegArgs('-f', 'lavfi', '-i', 'testsrc=s=300x300', '-frames:v', '1', cover),
  );
  const sources: PlayedSource[] = [];
  for (const { name, encode, hasCover, sampleRateHz = SAMPLE_RATE_HZ } of RECIPES) {
    const path = join(dir, `source.${name}`);
    const picture = hasCover ? ['-i', cover, '-map', '0:a', '-map', '1:v', '-c:v', 'copy'] : [];
    const attached = hasCover ? ['-disposition:v', 'attached_pic'] : [];
    const tookSeconds = await timeCommand(
      ffmpegPath,
      ffmpegArgs(...sound, ...picture, ...encode, ...TAGS, ...attached, path),
    );
    sources.push({ name, path, sampleCount: seconds * sampleRateHz, isOutputFormat: name !== 'opus' });
    report(`made ${name} in ${tookSeconds.toFixed(0)} s`);
  }
  await rm(speech);
  return sources;
}
