import { makeExecutable, resolveFfmpegPath } from '../ffmpeg/binary.ts';
import { FfmpegError } from '../ffmpeg/run.ts';
import { openSandbox, type SandboxMode } from '../sandbox/find-sandbox.ts';
import { type Sandbox, UNCONFINED } from '../sandbox/sandbox.ts';
import { SetupError } from '../setup-error.ts';

export interface FoundFfmpeg {
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /** Replaces an error that has this cause: ffmpeg was needed and could not be started. */
  explain(error: unknown): unknown;
}

/** Used as a path that cannot be started. */
const NO_FFMPEG = 'no-ffmpeg-here';

/** Copies need no ffmpeg, so a missing one is no error yet. */
export async function findFfmpeg(
  configuredPath: string | undefined,
  sandboxMode: SandboxMode,
): Promise<FoundFfmpeg> {
  let ffmpegPath: string;
  try {
    ffmpegPath = await resolveFfmpegPath(configuredPath);
    await makeExecutable(ffmpegPath);
  } catch (error) {
    const missing =
      error instanceof SetupError
        ? error
        : new SetupError('FFMPEG_PATH', configuredPath, 'the path of an ffmpeg');
    return {
      ffmpegPath: NO_FFMPEG,
      sandbox: UNCONFINED,
      explain: (other) => (isStartFailure(other) ? missing : other),
    };
  }
  return { ffmpegPath, sandbox: await openSandbox(sandboxMode, ffmpegPath), explain: (error) => error };
}

function isStartFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof FfmpegError) return error.exitCode === null && error.exitSignal === null;
  return isStartFailure(error.cause);
}
