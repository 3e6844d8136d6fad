/** Tests that need more than Node: what is missing is brought in, then they run in a process of their own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Env } from '@audiosplit/chassis/process/env';
import { explainFailure } from '../../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../../deploy/provision/progress.ts';
import type { Task } from '../../../deploy/provision/task.ts';

export interface NodeRun {
  readonly args: readonly string[];
  /** On top of the environment of this process. */
  readonly env: Env;
}

/** Sets the exit code of this process: that of the run, or 1 where `provide` fails, which is explained. */
export async function runProvisioned(
  provide: (taskOf: (name: string) => Task) => Promise<NodeRun>,
): Promise<void> {
  const interruption = new AbortController();
  onInterruption((signal) => interruption.abort(new Interrupted(signal)));
  try {
    const { args, env } = await provide((name) =>
      reportedTask(name, reportTo(process.stderr), interruption.signal),
    );
    const child = spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    const [code] = (await once(child, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } catch (thrown) {
    const error = interruption.signal.aborted ? interruption.signal.reason : thrown;
    process.stderr.write(`\n${explainFailure(error)}`);
    process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
  }
}
