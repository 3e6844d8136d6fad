import { text } from 'node:stream/consumers';
import { type FfmpegRuntime, startFfmpeg } from './run.ts';

const CPU_LIMIT_SECONDS = 10;
const WALL_LIMIT_MS = 60_000;

/**
 * Whether a decoder, by ffmpeg's name of it, returns its buffered samples when its input ends, according to
 * its capabilities.
 */
export async function canBeFlushed(runtime: FfmpegRuntime, decoder: string): Promise<boolean> {
  await using child = startFfmpeg(runtime, {
    args: ['-hide_banner', '-h', `decoder=${decoder}`],
    limits: { cpuSeconds: CPU_LIMIT_SECONDS, fileSizeBytes: 0 },
    wallLimitMs: WALL_LIMIT_MS,
    stdin: 'ignore',
  });
  const description = await text(child.stdout);
  await child.finished;
  return /^ *General capabilities:.*\bdelay\b/m.test(description);
}
