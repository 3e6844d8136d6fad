/** Programs of others that play or test a segment, and what they say about it. */
import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { FinishedSegment } from '../src/media.ts';
import type { Judges } from './players-install.ts';

export interface Verdict {
  /** What a program wrote besides sound, one entry per line, its own name in front. */
  readonly remarks: readonly string[];
  /** How often one of `SAID_OF_ANY_FILE` was said. */
  readonly knownRemarks: number;
  /** What each decoding program played, by its name. */
  readonly playedSamples: ReadonlyMap<string, number>;
}

interface Run {
  readonly outputBytes: number;
  readonly lines: readonly string[];
}

/** Neither side is dropped and no rate is changed, so that bytes count samples; see `ffmpegArguments`. */
const CHANNELS = 2;
const MPG123_SAMPLE_BYTES = 2 * CHANNELS;

/**
 * What ffmpeg 5.1 says about every file of a kind, its own included, by extension: plain WAVE does not name its
 * channels' places, and the cover of an m4a is a stream without a clock.
 */
const SAID_OF_ANY_FILE: Readonly<Record<string, RegExp>> = {
  wav: /^Guessed Channel Layout for Input Stream/,
  m4a: /stream \d+, timescale not set$/,
};

/** A line that is said about every file alike names no file, place or address. */
function withoutPlace(line: string, path: string): string {
  return line
    .replaceAll(path, '<file>')
    .replaceAll(basename(path), '<file>')
    .replaceAll(/ @ 0x[0-9a-f]+/g, '');
}

export async function judge(judges: Judges, segment: FinishedSegment): Promise<Verdict> {
  const remarks: string[] = [];
  const playedSamples = new Map<string, number>();
  const known = SAID_OF_ANY_FILE[segment.extension];
  let knownRemarks = 0;
  const ask = async (command: string, args: readonly string[]): Promise<number> => {
    const { outputBytes, lines } = await run(judges[command as keyof Judges], args);
    const unknown = lines.filter((line) => known?.test(line) !== true);
    knownRemarks += lines.length - unknown.length;
    remarks.push(...unknown.map((line) => `${command}: ${withoutPlace(line, segment.path)}`));
    return outputBytes;
  };
  playedSamples.set('ffmpeg', (await ask('ffmpeg', ffmpegArguments(segment.path))) / CHANNELS);
  switch (segment.extension) {
    case 'mp3':
      // Decodes as --test does, and leaves the gapless samples to count.
      playedSamples.set('mpg123', (await ask('mpg123', ['-q', '-s', segment.path])) / MPG123_SAMPLE_BYTES);
      break;
    case 'flac':
      await ask('flac', ['--silent', '--test', '--warnings-as-errors', segment.path]);
      break;
    case 'ogg':
      await ask('oggz-validate', [segment.path]);
      break;
  }
  return { remarks, knownRemarks, playedSamples };
}

/** Decodes to the smallest samples there are: they are only counted. */
function ffmpegArguments(path: string): readonly string[] {
  const output = ['-map', '0:a', '-c:a', 'pcm_u8', '-f', 'u8', 'pipe:1'];
  return ['-nostdin', '-hide_banner', '-v', 'warning', '-i', path, ...output];
}

/** A code other than 0 is a remark as well. */
function run(command: string, args: readonly string[]): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let outputBytes = 0;
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => {
      outputBytes += chunk.length;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaints += text;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const lines = complaints.split(/[\r\n]+/).filter((line) => line.trim() !== '');
      if (code !== 0) lines.push(`ended with ${code}`);
      resolve({ outputBytes, lines });
    });
  });
}
