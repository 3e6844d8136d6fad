/** Runs tests that need more than Node: installs what is missing, then runs them in a separate process. */
import type { Env } from '@audiosplit/chassis/process/env';
import { reportedTask, reportTo } from '../../../deploy/provision/progress.ts';
import { runCommand } from '../../../deploy/provision/run-command.ts';
import type { Task } from '../../../deploy/provision/task.ts';
import { runNode } from './run-node.ts';

/**
 * `provide` resolves with the command to run and additional environment variables. The stack is disposed when
 * the run ends. Sets this process's exit code: the run's, or 1 if `provide` fails, after printing the reason.
 */
export async function runProvisioned(
  provide: (
    taskOf: (name: string) => Task,
    stack: AsyncDisposableStack,
  ) => Promise<{ readonly args: readonly string[]; readonly env: Env }>,
): Promise<void> {
  await runCommand(async (signal) => {
    await using stack = new AsyncDisposableStack();
    const run = provide((name) => reportedTask(name, reportTo(process.stderr), signal), stack);
    // Aborted work rejects with various errors.
    const { args, env } = await run.catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    return await runNode(args, { ...process.env, ...env });
  });
}
