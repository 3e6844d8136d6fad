/**
 * The operator's commands as an operator types them: `npm run …` in a checkout, with the engines' addresses
 * in the environment.
 */
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { runCommand } from '../../harness/installation/as-a-user/command.ts';
import type { EngineControls } from '../../harness/installation/engine-controls.ts';

export type OperatorCommands = ReturnType<typeof createOperatorCommands>;

export function createOperatorCommands(engines: EngineControls) {
  /** Resolves with its standard output. If it fails, throws StartError with its standard error. */
  const run = async (command: string, ...args: readonly string[]): Promise<string> => {
    const line = ['npm', 'run', '--silent', 'operate', '--', command, ...args] as const;
    const { code, stdout, stderr } = await runCommand(line, { env: engines.environment() });
    if (code === 0) return stdout.trim();
    throw new StartError(`npm run operate -- ${command} ended with ${code}: ${stderr.trim()}`);
  };
  return {
    run,
    /** A line for each group and topic with unhandled messages. */
    async lag(): Promise<readonly string[]> {
      const lines = (await run('lag')).split('\n');
      const waiting = lines.filter((line) => /^\S+\s+audiosplit\.\S+\s+-?[1-9]\d*$/.test(line));
      return waiting.map((line) => line.replace(/\s+/g, ' '));
    },
    async countDeadLetters(): Promise<number> {
      return numberIn(await run('dead-letters', 'list'), /^\d+ of (\d+) dead letters$/m);
    },
    async reconcile() {
      const summary = await run('reconcile');
      return {
        jobsWithLosses: numberIn(summary, /^(\d+) jobs that lack segments/m),
        unknownJobs: numberIn(summary, /^(\d+) unknown jobs with objects/m),
        missingInvoices: numberIn(summary, /^(\d+) invoices without their PDF/m),
      };
    },
  };
}

/** Throws if the command printed something else. */
function numberIn(output: string, pattern: RegExp): number {
  const [, digits] = pattern.exec(output) ?? [];
  if (digits === undefined) throw new Error(`no ${pattern.source} in: ${output}`);
  return Number(digits);
}
