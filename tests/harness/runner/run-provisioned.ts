/** Tests that need more than Node: what is missing is brought in, then they run in a process of their own. */
import type { Env } from '@audiosplit/chassis/process/env';
import { explainFailure } from '../../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../../deploy/provision/progress.ts';
import type { Task } from '../../../deploy/provision/task.ts';
import { runNode } from './run-node.ts';

/**
 * `provide` resolves with what to run, and with variables on top of the environment of this process. Sets the exit code
 * of this process: that of the run, or 1 where `provide` fails, which is explained.
 */
export async function runProvisioned(
  provide: (
    taskOf: (name: string) => Task,
  ) => Promise<{ readonly args: readonly string[]; readonly env: Env }>,
): Promise<void> {
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  try {
    const { args, env } = await provide((name) =>
      reportedTask(name, reportTo(process.stderr), interruption.signal),
    );
    process.exitCode = await runNode(args, { ...process.env, ...env });
  } catch (thrown) {
    const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
    process.stderr.write(`\n${explainFailure(error)}`);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
}
