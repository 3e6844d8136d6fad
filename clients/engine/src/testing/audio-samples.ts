/**
 * Real audio for tests, made and judged by the ffmpeg that npm brings, once per suite. The engine under test runs
 * the one that FFMPEG_PATH names, where it is set.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import type { PcmFormat } from '../formats/formats.ts';

const run = promisify(execFile);

export interface AudioSamples extends AsyncDisposable {
  /** What the engine is to run. */
  readonly ffmpegPath: string;
  readonly dir: string;
  /** Makes a file from generated sound with ffmpeg output arguments, and returns its path. */
  make(name: string, sound: string, ...outputArgs: string[]): Promise<string>;
  /** A file's tags, names in lower case. */
  tags(path: string): Promise<ReadonlyMap<string, string>>;
  /** Decodes a whole file to raw PCM. */
  decode(path: string, format: PcmFormat): Promise<Buffer>;
  /** ffmpeg's line about its audio stream, as in `flac, 44100 Hz, stereo, s16`, and its samples as 32-bit numbers. */
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
    async tags(path) {
      const ofFile = ['-map_metadata', path.endsWith('.ogg') ? '0:s:0' : '0'];
      const { stdout } = await run(makerPath, [
        ...['-nostdin', '-v', 'error', '-i', path, ...ofFile],
        ...['-f', 'ffmetadata', 'pipe:1'],
      ]);
      const lines = stdout.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line));
      return new Map(
        lines.flatMap((match) =>
          match ? [[match[1]?.toLowerCase() ?? '', match[2]?.replaceAll('\\', '') ?? ''] as const] : [],
        ),
      );
    },
    async decode(path, format) {
      const raw = `${path}.${format}.raw`;
      await run(makerPath, [
        '-nostdin',
        '-v',
        'error',
        '-i',
        path,
        '-c:a',
        `pcm_${format}`,
        '-f',
        format,
        '-y',
        raw,
      ]);
      const bytes = await readFile(raw);
      await rm(raw);
      return bytes;
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
