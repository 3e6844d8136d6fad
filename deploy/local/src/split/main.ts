/**
 * The process of `npm run split`. Results go to standard output, everything else to standard error. Leaves
 * with 0, 1 (the split failed), 2 (called wrongly), 130 or 143 (interrupted, the job canceled).
 */
import { type Command, parseCommand, type SplitOrder } from './arguments.ts';
import { checkOutFolder, inspectSourceFile, makeOutFolder, removeIfEmpty } from './folders.ts';
import { createProgress } from './progress.ts';
import { splitAudio } from './split.ts';
import { describeFailure, describeManifest } from './summary.ts';
import { HELP, UsageError } from './usage.ts';

const USAGE_EXIT_CODE = 2;
/** By the shells' convention, 128 and the number of the signal. */
const EXIT_CODE_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;
/** npm changes into the project's folder and tells here where it was called. */
const workingDir = process.env.INIT_CWD ?? process.cwd();

let interruptedBy: keyof typeof EXIT_CODE_OF_SIGNAL | undefined;
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruptedBy = signal;
    interruption.abort(new Error('interrupted'));
  });
}

process.exit(await run());

async function run(): Promise<number> {
  let command: Command;
  try {
    command = parseCommand(process.argv.slice(2), workingDir);
  } catch (error) {
    return fail(error instanceof UsageError ? error.message : undefined, error);
  }
  if (command.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    await split(command.order);
    return 0;
  } catch (error) {
    if (interruptedBy !== undefined) {
      process.stderr.write('Interrupted.\n');
      return EXIT_CODE_OF_SIGNAL[interruptedBy];
    }
    return fail(describeFailure(error, command.order), error);
  }
}

async function split(order: SplitOrder): Promise<void> {
  const startedAtMs = performance.now();
  const { source, outDir, force } = order;
  const file = source.kind === 'file' ? await inspectSourceFile(source.path) : undefined;
  await checkOutFolder(outDir, force);
  await makeOutFolder(outDir);

  await using running = new AsyncDisposableStack();
  running.defer(() => removeIfEmpty(outDir));
  const progress = running.use(createProgress(process.stderr, () => performance.now()));
  const timer = setInterval(progress.tick, 250);
  running.defer(() => clearInterval(timer));
  let { server } = order;
  if (server === undefined) {
    progress.say('Starting audiosplit …');
    const fatal = (error: Error) => interruption.abort(error);
    // Loaded here, as it is the whole product: a mistake in the arguments or a split elsewhere needs none of it.
    const { startTemporarySystem } = await import('./temporary-system.ts');
    server = running.use(await startTemporarySystem(process.env, fatal)).server;
  }
  const { signal } = interruption;
  signal.throwIfAborted();
  const manifest = await splitAudio(order, file, { server, progress, signal });
  progress[Symbol.dispose]();
  process.stdout.write(`${outDir}\n${describeManifest(manifest, performance.now() - startedAtMs)}\n`);
}

function fail(message: string | undefined, error: unknown): number {
  const text = message ?? (error instanceof Error ? error.stack : undefined) ?? String(error);
  process.stderr.write(`${text}\n`);
  return error instanceof UsageError ? USAGE_EXIT_CODE : 1;
}
