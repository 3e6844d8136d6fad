/** The engine of this machine for agents. */
import { basename, dirname, extname, join, resolve } from 'node:path';
import {
  type Cuts,
  FileExistsError,
  InvalidCutsError,
  MediaError,
  plan,
  SetupError,
  type Summary,
  split,
  type WrittenSegment,
} from '@audiosplit/engine';
import { type LocalEngine, type LocalRun, ToolError } from '@audiosplit/mcp';
import { messageOf } from '../message-of.ts';

export function createLocalEngine({
  workingDir,
  ffmpegPath,
}: {
  readonly workingDir: string;
  readonly ffmpegPath: string | undefined;
}): LocalEngine {
  const optionsOf = ({ signal, onProgress }: LocalRun) => ({
    ffmpegPath,
    signal,
    onProgress: (fraction: number) => onProgress(Math.floor(fraction * 100)),
  });
  return {
    plan: (run) =>
      orToolError(async () => {
        const planned = await plan(
          resolve(workingDir, run.path),
          run.cuts as unknown as Cuts,
          optionsOf(run),
        );
        return { ...knownOf(planned), segments: planned.segments };
      }),
    split: (run) =>
      orToolError(async () => {
        const path = resolve(workingDir, run.path);
        const to =
          run.outputFolder === undefined ? folderBeside(path) : resolve(workingDir, run.outputFolder);
        const made = split(path, run.cuts as unknown as Cuts, { ...optionsOf(run), to });
        // A source that has to be cut again yields its segments a second time.
        const segments = new Map<number, WrittenSegment>();
        for (;;) {
          const step = await made.next();
          if (step.done === true) return { ...knownOf(step.value), segments: [...segments.values()] };
          segments.set(step.value.index, step.value);
        }
      }),
  };
}

function knownOf({ outputFormat, sourceDuration }: Summary) {
  return { outputFormat, sourceDuration };
}

function folderBeside(path: string): string {
  return join(dirname(path), `${basename(path, extname(path))}-segments`);
}

async function orToolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = explain(error);
    throw text === undefined ? error : new ToolError(text, { cause: error });
  }
}

/** Undefined for an unforeseen error. */
function explain(error: unknown): string | undefined {
  if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR')
    return `${error.failure}: ${error.message}`;
  if (error instanceof InvalidCutsError)
    return error.details.map(({ field, message }) => `${field}: ${message}`).join('\n');
  if (error instanceof FileExistsError)
    return `${error.message}. Name another outputFolder, or ask the user to move the file away.`;
  const isExplained = error instanceof SetupError || (error instanceof Error && 'syscall' in error);
  return isExplained ? messageOf(error) : undefined;
}
