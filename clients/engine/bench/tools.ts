/** The programs that the engine is measured against, and how they are run. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { resolveFfmpegPath } from '../src/ffmpeg/binary.ts';

const run = promisify(execFile);

export interface Tools {
  /** What the engine is given: FFMPEG_PATH, else the npm build. */
  readonly engineFfmpeg: string;
  /** Makes the sources, as the engine's own binary may be a lean one. */
  readonly npmFfmpeg: string;
  readonly systemFfmpeg: string | undefined;
  readonly mp3splt: string | undefined;
}

export async function findTools(): Promise<Tools> {
  const npmFfmpeg = await resolveFfmpegPath(undefined);
  return {
    engineFfmpeg: process.env.FFMPEG_PATH ?? npmFfmpeg,
    npmFfmpeg,
    systemFfmpeg: await findOnPath('ffmpeg'),
    mp3splt: await findOnPath('mp3splt'),
  };
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const dir of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(dir, name);
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isExecutable) return path;
  }
  return undefined;
}

/** Runs a program to its end and returns the wall time in seconds, its start included. Throws where it fails. */
export async function timeCommand(command: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  await run(command, args, { maxBuffer: 64 * 1024 * 1024 });
  return (performance.now() - start) / 1000;
}

/** The seconds in which ffmpeg decodes a source and writes nothing. */
export function timeDecoding(ffmpegPath: string, sourcePath: string): Promise<number> {
  return timeCommand(ffmpegPath, ffmpegArgs('-i', sourcePath, '-map', '0:a', '-f', 'null', '-'));
}

export function ffmpegArgs(...args: readonly string[]): readonly string[] {
  return ['-nostdin', '-hide_banner', '-v', 'error', ...args];
}
