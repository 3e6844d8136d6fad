/** Programs of others that play or test a segment, and what they say about it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { FinishedSegment } from '../../clients/engine/src/media.ts';
import { leadInSamples } from './lead-in.ts';
import type { Program, Programs } from './programs.ts';

export interface Verdict {
  /** What a program wrote besides sound, one entry per line, its own name in front. */
  readonly remarks: readonly string[];
  /** How often one of `SAID_OF_ANY_FILE` was said. */
  readonly knownRemarks: number;
  /** What each decoding program played. */
  readonly playedSamples: ReadonlyMap<Program, number>;
}

interface Run {
  readonly outputBytes: number;
  readonly lines: readonly string[];
}

interface Decoder {
  readonly program: Program;
  /** Raw samples with `SAMPLE_BYTES` go to stdout. */
  readonly args: (path: string) => readonly string[];
}

/** Neither side is dropped and no rate is changed, so that bytes count samples. */
const CHANNELS = 2;
const SAMPLE_BYTES = 2 * CHANNELS;
const AAC_FRAME_SAMPLES = 1_024;

/** Each format's own decoder, by extension. WAV needs none. */
const DECODERS: Readonly<Record<string, Decoder>> = {
  mp3: { program: 'mpg123', args: (path) => ['-q', '-s', path] },
  ogg: { program: 'oggdec', args: (path) => ['--quiet', '--raw', '--output', '-', path] },
  opus: {
    program: 'opusdec',
    args: (path) => ['--quiet', '--rate', '48000', '--force-stereo', path, '-'],
  },
  flac: {
    program: 'flac',
    args: (path) => [
      ...['--silent', '--decode', '--stdout'],
      ...['--force-raw-format', '--endian=little', '--sign=signed', path],
    ],
  },
  m4a: { program: 'faad', args: (path) => ['-q', '-f', '2', '-w', path] },
};

/**
 * What is said about every file of a kind, by extension. ffmpeg 5.1 says it even of its own files: plain WAVE does not name
 * its channels' places, the cover of an m4a is a stream without a clock, and an mp3 of six frames may be something else. flac
 * says that a copy has no MD5.
 */
const SAID_OF_ANY_FILE: Readonly<Record<string, RegExp>> = {
  wav: /^Guessed Channel Layout for Input Stream/,
  mp3: /Format mp3 detected only with low score of 25, misdetection possible!$/,
  m4a: /stream \d+, timescale not set$/,
  flac: /: WARNING, cannot check MD5 signature since it was unset in the STREAMINFO$/,
};

export async function judge(programs: Programs, segment: FinishedSegment): Promise<Verdict> {
  const { path, extension } = segment;
  const remarks: string[] = [];
  const playedSamples = new Map<Program, number>();
  const known = SAID_OF_ANY_FILE[extension];
  let knownRemarks = 0;
  const ask = async (program: Program, args: readonly string[]): Promise<number> => {
    const { outputBytes, lines } = await run(programs[program], args);
    const unknown = lines.filter((line) => known?.test(line) !== true);
    knownRemarks += lines.length - unknown.length;
    remarks.push(...unknown.map((line) => `${program}: ${withoutPlace(line, path)}`));
    return outputBytes;
  };
  playedSamples.set('ffmpeg', (await ask('ffmpeg', ffmpegArguments(path))) / CHANNELS);
  if (extension === 'ogg' || extension === 'opus') await ask('oggz-validate', [path]);
  if (extension === 'wav') return { remarks, knownRemarks, playedSamples };

  const decoder = DECODERS[extension];
  if (decoder === undefined) throw new Error(`no decoder for ${extension}`);
  const { program, args } = decoder;
  const played = (await ask(program, args(path))) / SAMPLE_BYTES;
  // faad plays whole frames except the first, and ignores the edit list.
  const ignored = program === 'faad' ? leadInSamples(await readFile(path)) - AAC_FRAME_SAMPLES : 0;
  playedSamples.set(program, played - ignored);
  return { remarks, knownRemarks, playedSamples };
}

/** A line that is said about every file alike names no file, place or address. */
function withoutPlace(line: string, path: string): string {
  return line
    .replaceAll(path, '<file>')
    .replaceAll(basename(path), '<file>')
    .replaceAll(/ @ 0x[0-9a-f]+/g, '');
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
