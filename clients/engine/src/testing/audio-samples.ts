/**
 * Real audio for tests, made and judged by the ffmpeg from npm, once per suite. The engine under test runs
 * the one in FFMPEG_PATH, if it is set.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';

const run = promisify(execFile);

export interface AudioSamples extends AsyncDisposable {
  /** The ffmpeg for the engine. */
  readonly ffmpegPath: string;
  readonly dir: string;
  /** Generates audio into a file with ffmpeg output arguments, and returns its path. */
  make(name: string, sound: string, ...outputArgs: string[]): Promise<string>;
  /**
   * ffmpeg's line about the file's audio stream, such as `flac, 44100 Hz, stereo, s16`, and its samples as
   * 32-bit numbers.
   */
  describe(path: string): Promise<{ readonly description: string; readonly pcm: Buffer }>;
}

export async function createAudioSamples(): Promise<AudioSamples> {
  const makerPath = await resolveFfmpegPath(undefined);
  const dir = await mkdtemp(join(tmpdir(), 'audiosplit-samples-'));
  return {
    ffmpegPath: await resolveFfmpegPath(process.env.FFMPEG_PATH),
    dir,
    async make(name, sound, ...outputArgs) {
      const path = join(dir, name);
      await run(makerPath, [
        '-nostdin',
        '-v',
        'error',
        '-f',
        'lavfi',
        '-i',
        sound,
        ...outputArgs,
        '-y',
        path,
      ]);
      return path;
    },
    async describe(path) {
      const raw = `${path}.raw`;
      const { stderr } = await run(makerPath, ['-nostdin', '-i', path, '-f', 's32le', '-y', raw]);
      const pcm = await readFile(raw);
      await rm(raw);
      return { description: /Stream #0:\d+[^\n]*?: Audio: ([^\n]*)/.exec(stderr)?.[1] ?? '', pcm };
    },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Pink noise over a tone: neither silent nor trivially small in any codec. */
export function sound(sampleRateHz: number, seconds: number, channels: 'mono' | 'stereo' | '5.1'): string {
  const noise = `anoisesrc=r=${sampleRateHz}:d=${seconds}:a=0.2:c=pink:seed=7`;
  return `${noise},aformat=channel_layouts=${channels}`;
}
