import { execFile } from 'node:child_process';
import { chmod, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { DEMUXERS } from './demuxers.ts';

const run = promisify(execFile);
const CHECK_TIMEOUT_MS = 20_000;

const REQUIRED_ENCODERS = [
  'libmp3lame',
  'flac',
  'libvorbis',
  'libopus',
  'aac',
  'pcm_s16le',
  'pcm_s24le',
  'pcm_s32le',
  'pcm_f32le',
];
const REQUIRED_MUXERS = ['mp3', 'flac', 'ogg', 'opus', 'ipod', 'wav', 'ffmetadata'];

export interface FfmpegBinary {
  readonly path: string;
  readonly version: string;
}

/** The configured path, else the binary that comes with @ffmpeg-installer/ffmpeg. Throws where there is neither. */
export async function resolveFfmpegPath(configuredPath: string | undefined): Promise<string> {
  if (configuredPath !== undefined) return configuredPath;
  try {
    const installer = await import('@ffmpeg-installer/ffmpeg');
    return installer.default.path;
  } catch (cause) {
    throw new Error('No ffmpeg binary comes for this platform: set FFMPEG_PATH to one.', { cause });
  }
}

/**
 * Checks at start that the binary runs and can do all that the engine asks of it.
 * Throws an Error that names what is missing.
 */
export async function checkFfmpeg(path: string): Promise<FfmpegBinary> {
  await makeExecutable(path);
  const version = /^ffmpeg version (\S+)/.exec(await output(path, '-version'))?.[1];
  if (version === undefined) throw new Error(`${path} does not call itself ffmpeg.`);
  const encoders = namesIn(await output(path, '-encoders'));
  const missing = [
    ...missingFrom(encoders, REQUIRED_ENCODERS, 'encoder'),
    ...missingFrom(namesIn(await output(path, '-muxers')), REQUIRED_MUXERS, 'muxer'),
    ...missingFrom(namesIn(await output(path, '-demuxers')), Object.values(DEMUXERS), 'demuxer'),
  ];
  if (missing.length > 0) throw new Error(`${path} (${version}) lacks: ${missing.join(', ')}.`);
  return { path, version };
}

/** Package managers that unpack without modes leave the binary unrunnable. */
async function makeExecutable(path: string): Promise<void> {
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

/** The second column of ffmpeg's listings; one row may name several, joined by commas. */
function namesIn(listing: string): Set<string> {
  const names = listing.split('\n').flatMap((line) => line.trim().split(/\s+/)[1]?.split(',') ?? []);
  return new Set(names);
}

function missingFrom(present: ReadonlySet<string>, required: readonly string[], kind: string): string[] {
  return [...new Set(required)].filter((name) => !present.has(name)).map((name) => `${kind} ${name}`);
}
