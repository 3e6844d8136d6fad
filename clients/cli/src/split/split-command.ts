/**
 * The process of `audiosplit split` and `npm run split`. Results go to standard output, everything else to standard error.
 * Exit codes: 0, 1 (a split failed), 2 (called wrongly), 130 or 143 (interrupted, the job canceled).
 */
import type { CompletedJob } from '@audiosplit/client';
import { type CleanupStack, createCleanupStack } from '@audiosplit/engine/cleanup-stack';
import { type Command, parseCommand, type Server, type SplitOrder } from '../arguments.ts';
import { describePlan } from '../dry-run-table.ts';
import { describeFailure } from '../failures.ts';
import { interruptedExitCode, interruption } from '../interruption.ts';
import { createProgress } from '../progress/progress.ts';
import { type Source, sourceText } from '../sources.ts';
import { describeSegments } from '../summary.ts';
import { UsageError } from '../usage.ts';
import { checkOutFolder, makeOutFolder } from './folders.ts';
import { keepInput, openSourceFile, type SourceFile } from './source-file.ts';
import { splitAudio, splitWithoutFiles } from './split.ts';
import { splitHelp } from './split-help.ts';

/**
 * Starts an audiosplit for this call, where none is named with --server. `fatal` is for what breaks it later. Throws
 * SystemError.
 */
type StartSystem = (fatal: (error: Error) => void) => Promise<AsyncDisposable & { readonly server: Server }>;

const USAGE_EXIT_CODE = 2;

interface SplitCommandOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Absent: a server has to be named. */
  readonly startSystem?: StartSystem;
  /** Where --server names none. */
  readonly defaultServer?: Server | undefined;
}

/** Resolves to the exit code. */
export async function runSplitCommand({
  args,
  env,
  startSystem,
  defaultServer,
}: SplitCommandOptions): Promise<number> {
  let command: Command;
  try {
    // npm changes into the project's folder; INIT_CWD is where it was called.
    command = parseCommand(args, env.INIT_CWD ?? process.cwd(), env);
    if (command.kind === 'split') {
      const { settings, server } = command.order;
      // One that is started for this call knows no connections.
      requireServer(server ?? defaultServer, settings.destination === undefined ? startSystem : undefined);
    }
  } catch (error) {
    return fail(error instanceof UsageError ? error.message : undefined, error);
  }
  if (command.kind === 'help') {
    process.stdout.write(splitHelp(startSystem !== undefined));
    return 0;
  }
  const order = { ...command.order, server: command.order.server ?? defaultServer };
  try {
    return await splitAll(order, startSystem);
  } catch (error) {
    const exitCode = interruptedExitCode();
    if (exitCode !== undefined) {
      process.stderr.write('Interrupted.\n');
      return exitCode;
    }
    const [one] = order.tasks;
    const { server } = order;
    return fail(
      describeFailure(error, one === undefined ? { server } : { source: one.source, server }),
      error,
    );
  }
}

/** One after the other. Of several, one that fails does not stop the others, unless there is nothing to split them with. */
async function splitAll(
  { tasks, settings, sourceHeaders, force, server: given }: SplitOrder,
  startSystem: StartSystem | undefined,
): Promise<number> {
  const { signal } = interruption;
  const isOne = tasks.length === 1;
  const hasFiles = settings.dryRun !== true && settings.keepCopy !== false;
  await using system = createCleanupStack();
  let server = given;
  let failures = 0;
  for (const [position, task] of tasks.entries()) {
    const startedAtMs = performance.now();
    await using running = createCleanupStack();
    const progress = running.use(createProgress(process.stderr, () => performance.now()));
    const timer = setInterval(progress.tick, 250);
    running.defer(() => clearInterval(timer));
    const orRecord = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        if (isOne || signal.aborted) throw error;
        progress[Symbol.dispose]();
        failures += 1;
        const { source } = task;
        fail(
          `${sourceText(source)}: ${describeFailure(error, { source, server: given }) ?? textOf(error)}`,
          error,
        );
        return undefined;
      }
    };

    signal.throwIfAborted();
    if (!isOne) progress.say(`${position + 1} of ${tasks.length}: ${sourceText(task.source)}`);
    const sayHowToGoOn = (call: string) => {
      progress[Symbol.dispose]();
      process.stderr.write(`What has come stays: ${call} goes on with it\n`);
    };
    const content = await orRecord(async () => {
      const opened = await openSource(task.source, running);
      if (hasFiles) {
        await checkOutFolder(task.outDir, force);
        running.use(await makeOutFolder(task.outDir));
      }
      return opened;
    });
    if (content === undefined) continue;
    if (server === undefined && startSystem !== undefined) {
      progress.say('Starting audiosplit …');
      server = system.use(await startSystem((error) => interruption.abort(error))).server;
    }
    signal.throwIfAborted();
    const context = {
      server: requireServer(server, undefined),
      sourceHeaders,
      progress,
      signal,
      onBrokenOff: given === undefined ? undefined : sayHowToGoOn,
    };
    const made = await orRecord(async () => {
      if (hasFiles) return { ...(await splitAudio(task, settings, content, context)), head: task.outDir };
      const job = await splitWithoutFiles(settings, content, context);
      const lines = settings.dryRun === true ? describePlan(job) : locationsOf(job);
      return { ...job, head: isOne ? lines : `${sourceText(task.source)}\n${lines}` };
    });
    if (made === undefined) continue;
    progress[Symbol.dispose]();
    process.stdout.write(`${made.head}\n${describeSegments(made, performance.now() - startedAtMs)}\n`);
  }
  if (failures > 0) process.stderr.write(`${failures} of ${tasks.length} sources failed\n`);
  return failures > 0 ? 1 : 0;
}

/** One a line. */
function locationsOf({ segments }: CompletedJob): string {
  return segments.map(({ location, fileName }) => location ?? fileName).join('\n');
}

function requireServer(server: Server | undefined, startSystem: undefined): Server;
function requireServer(server: Server | undefined, startSystem: StartSystem | undefined): Server | undefined;
function requireServer(server: Server | undefined, startSystem: StartSystem | undefined): Server | undefined {
  if (server !== undefined || startSystem !== undefined) return server;
  throw new UsageError(
    'name the server by --server, or store it once by audiosplit login; without a server there is audiosplit cut',
  );
}

/** What there is to upload, or the URL that the server fetches. */
async function openSource(source: Source, running: CleanupStack): Promise<SourceFile | string> {
  switch (source.kind) {
    case 'url':
      return source.url;
    case 'file':
      return running.use(await openSourceFile(source.path));
    case 'stdin':
      return running.use(await keepInput(process.stdin, interruption.signal));
    default:
      return source satisfies never;
  }
}

function fail(message: string | undefined, error: unknown): number {
  process.stderr.write(`${message ?? textOf(error)}\n`);
  return error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.stack : undefined) ?? String(error);
}
