/**
 * `audiosplit cut`: the engine on this machine. The created files are listed on standard output, everything
 * else goes to standard error. Exit codes: 0, 1 (a source failed), 2 (wrong usage), 130 or 143 (interrupted).
 */
import {
  FileExistsError,
  InvalidCutsError,
  MediaError,
  type PlannedSegment,
  plan,
  SetupError,
  type Source,
  type Summary,
  split,
} from '@audiosplit/engine';
import { describePlan } from '../dry-run-table.ts';
import { interruptedExitCode, interruption } from '../interruption.ts';
import { messageOf } from '../message-of.ts';
import { optionFor } from '../options/cut-options.ts';
import type { Output } from '../output.ts';
import { createProgress, type Progress } from '../progress/progress.ts';
import { type SplitTask, sourceText } from '../sources.ts';
import { describeSegments } from '../summary.ts';
import { UsageError } from '../usage.ts';
import { type CutOrder, parseCutOrder } from './cut-arguments.ts';
import { CUT_COMMAND_HELP } from './cut-help.ts';

interface CutCommandOptions extends Output {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly workingDir: string;
}

/** Resolves to the exit code. */
export async function runCutCommand({
  args,
  env,
  workingDir,
  stdout,
  stderr,
}: CutCommandOptions): Promise<number> {
  const fail = (message: string): void => void stderr.write(`${message}\n`);
  let order: CutOrder | undefined;
  try {
    order = await parseCutOrder(args, workingDir);
  } catch (error) {
    fail(describeError(error));
    return 2;
  }
  if (order === undefined) {
    stdout.write(CUT_COMMAND_HELP);
    return 0;
  }
  let failures = 0;
  for (const task of order.tasks) {
    using progress = stderr.isTTY === true ? createProgress(stderr, () => performance.now()) : undefined;
    try {
      await cutOne(task, order, { ffmpegPath: env.FFMPEG_PATH, progress, stdout });
    } catch (error) {
      progress?.[Symbol.dispose]();
      const exitCode = interruptedExitCode();
      if (exitCode !== undefined) {
        fail('Interrupted.');
        return exitCode;
      }
      fail(
        order.tasks.length === 1
          ? describeError(error)
          : `${sourceText(task.source)}: ${describeError(error)}`,
      );
      // The request is the same for all sources.
      if (error instanceof InvalidCutsError) return 2;
      failures += 1;
    }
  }
  if (failures > 0 && order.tasks.length > 1) fail(`${failures} of ${order.tasks.length} sources failed`);
  return failures > 0 ? 1 : 0;
}

interface Host {
  readonly ffmpegPath: string | undefined;
  readonly progress: Progress | undefined;
  readonly stdout: Output['stdout'];
}

async function cutOne(
  task: SplitTask,
  order: CutOrder,
  { ffmpegPath, progress, stdout }: Host,
): Promise<void> {
  const startedAtMs = performance.now();
  progress?.begin('split', 100, 'percent');
  const options = {
    name: 'stdin',
    ffmpegPath,
    signal: interruption.signal,
    onProgress: (fraction: number) => progress?.advance(Math.floor(fraction * 100)),
  };
  const source = sourceOf(task);
  const writeLine = (segment: PlannedSegment): void =>
    void stdout.write(`${JSON.stringify({ source: sourceText(task.source), ...segment })}\n`);
  if (order.isPlan) {
    const planned = await plan(source, order.cuts, options);
    if (order.isJson) return planned.segments.forEach(writeLine);
    progress?.[Symbol.dispose]();
    const title = order.tasks.length === 1 ? '' : `${sourceText(task.source)}\n`;
    const last = describeSegments(planned, performance.now() - startedAtMs);
    stdout.write(`${title}${describePlan(planned)}\n${last}\n`);
    return;
  }
  const segments: PlannedSegment[] = [];
  const made = split(source, order.cuts, { ...options, to: task.outDir, overwrite: order.force });
  let summary: Summary | undefined;
  while (summary === undefined) {
    const step = await made.next();
    if (step.done === true) summary = step.value;
    else {
      segments.push(step.value);
      if (order.isJson) writeLine(step.value);
    }
  }
  progress?.[Symbol.dispose]();
  if (order.isJson) return;
  const described = describeSegments({ ...summary, segments }, performance.now() - startedAtMs);
  stdout.write(`${task.outDir}\n${described}\n`);
}

function sourceOf({ source }: SplitTask): Source {
  switch (source.kind) {
    case 'file':
      return source.path;
    case 'stdin':
      if (process.stdin.isTTY)
        throw new UsageError(
          '- reads from standard input, which is a terminal: direct a file or a pipe into it',
        );
      return process.stdin;
    case 'url':
      throw new UsageError(`${source.url} is a URL`);
    default:
      return source satisfies never;
  }
}

/** In one line, except for unexpected errors. */
function describeError(error: unknown): string {
  if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR')
    return `${error.failure}: ${error.message}`;
  if (error instanceof InvalidCutsError) {
    return error.details.map(({ field, message }) => `${optionFor(field) ?? field} ${message}`).join('; ');
  }
  if (error instanceof FileExistsError)
    return `${error.message}: choose another folder with --out, or add --force to overwrite`;
  const isExplained =
    error instanceof UsageError ||
    error instanceof SetupError ||
    (error instanceof Error && 'syscall' in error);
  if (isExplained) return messageOf(error);
  return (error instanceof Error ? error.stack : undefined) ?? String(error);
}
