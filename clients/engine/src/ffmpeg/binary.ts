import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { ENCODINGS } from '../formats/encoding.ts';
import type { PcmShape } from '../formats/formats.ts';
import { SetupError } from '../setup-error.ts';
import { DEMUXERS } from './demuxers.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 20_000;

const ANY_PCM: PcmShape = { format: 's16le', sampleRateHz: 48_000, channelCount: 2 };
const OUTPUTS = Object.values(ENCODINGS);
const REQUIRED_ENCODERS = [
  ...OUTPUTS.flatMap(({ encoderArgs }) =>
    encoderArgs(ANY_PCM).filter((_, n, args) => args[n - 1] === '-c:a'),
  ),
  ...['pcm_s16le', 'pcm_s24le', 'pcm_s32le', 'pcm_f32le'],
];
const REQUIRED_MUXERS = [
  ...OUTPUTS.map(({ muxer }) => muxer),
  ...['ffmetadata', 'null', 'matroska', 'mpegts'],
];
/** The filter that measures loudness (`sound/loudness.ts`). */
const REQUIRED_FILTERS = ['ebur128'];

export interface FfmpegBinary {
  readonly path: string;
  readonly version: string;
}

/** The configured path, otherwise the binary of @ffmpeg-installer/ffmpeg. Throws if there is neither. */
export async function resolveFfmpegPath(configuredPath: string | undefined): Promise<string> {
  if (configuredPath !== undefined) return configuredPath;
  try {
    const installer = await import('@ffmpeg-installer/ffmpeg');
    return installer.default.path;
  } catch (cause) {
    throw new SetupError(
      'FFMPEG_PATH',
      undefined,
      `the path of an ffmpeg, as none comes for this platform (${messageOf(cause)})`,
    );
  }
}

/**
 * Checks at start that the binary runs and has everything that the engine needs. Throws a SetupError for
 * FFMPEG_PATH that names the missing parts.
 */
export async function checkFfmpeg(path: string): Promise<FfmpegBinary> {
  const refuse = (allowed: string) => new SetupError('FFMPEG_PATH', path, allowed);
  let banner: string;
  try {
    await makeExecutable(path);
    banner = await output(path, '-version');
  } catch (error) {
    throw refuse(`an ffmpeg binary that runs (${messageOf(error).split('\n', 1)[0]})`);
  }
  const version = /^ffmpeg version (\S+)/.exec(banner)?.[1];
  if (version === undefined) throw refuse('an ffmpeg binary; this one does not call itself that');
  const encoders = namesIn(await output(path, '-encoders'));
  const missing = [
    ...missingFrom(encoders, REQUIRED_ENCODERS, 'encoder'),
    ...missingFrom(namesIn(await output(path, '-muxers')), REQUIRED_MUXERS, 'muxer'),
    ...missingFrom(namesIn(await output(path, '-filters')), REQUIRED_FILTERS, 'filter'),
    ...missingFrom(namesIn(await output(path, '-demuxers')), Object.values(DEMUXERS), 'demuxer'),
  ];
  if (missing.length > 0)
    throw refuse(`an ffmpeg with all that the engine uses; version ${version} lacks ${missing.join(', ')}`);
  return { path, version };
}

/** Package managers that unpack without file modes leave the binary non-executable. */
export async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o111) === 0) await chmod(path, mode | 0o755);
}

async function output(path: string, flag: string): Promise<string> {
  const { stdout } = await run(path, [flag], {
    timeout: CHECK_TIMEOUT_MS,
    maxBuffer: 4 * 1024 * 1024,
    env: {},
  });
  return stdout;
}

/** The second column of ffmpeg's listings; one row may contain several names, separated by commas. */
function namesIn(listing: string): Set<string> {
  const names = listing.split('\n').flatMap((line) => line.trim().split(/\s+/)[1]?.split(',') ?? []);
  return new Set(names);
}

function missingFrom(present: ReadonlySet<string>, required: readonly string[], kind: string): string[] {
  return [...new Set(required)].filter((name) => !present.has(name)).map((name) => `${kind} ${name}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
