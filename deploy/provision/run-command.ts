import { explainFailure } from './explain-failure.ts';
import { Interrupted, onInterruption } from './interruption.ts';

/** Runs a command of this process. SIGINT and SIGTERM abort the signal; a failure is explained. Sets the exit code. */
export async function runCommand(work: (signal: AbortSignal) => Promise<number | undefined>): Promise<void> {
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  try {
    process.exitCode = (await work(interruption.signal)) ?? 0;
  } catch (error) {
    process.stderr.write(`\n${explainFailure(error)}`);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
}
