import { explainFailure } from './explain-failure.ts';
import { Interrupted, onInterruption } from './interruption.ts';

/** Undefined means 0. */
type ExitCode = number | undefined;

/** Runs a command of this process. SIGINT and SIGTERM abort the signal; a failure is explained. Sets the exit code. */
export async function runCommand(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<void> {
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  await runExplained(() => work(interruption.signal));
}

/** The same for commands that a signal simply ends. */
export async function runExplained(work: () => Promise<ExitCode>): Promise<void> {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    process.stderr.write(`\n${explainFailure(error)}`);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
}
