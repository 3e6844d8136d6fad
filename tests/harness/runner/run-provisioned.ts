/** Tests that need more than Node: it installs what is missing, then runs them in a process of their own. */
import type { Env } from '@audiosplit/chassis/process/env';
import { reportedTask, reportTo } from '../../../deploy/provision/progress.ts';
import { runCommand } from '../../../deploy/provision/run-command.ts';
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
  await runCommand(async (signal) => {
    const run = provide((name) => reportedTask(name, reportTo(process.stderr), signal));
    // Aborted work rejects with errors of its own.
    const { args, env } = await run.catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    return await runNode(args, { ...process.env, ...env });
  });
}
