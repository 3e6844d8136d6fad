/** The operator's commands as they are typed: `npm run …` in a checkout, with the engines' addresses in the environment. */
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { runCommand } from '../../harness/installation/as-a-user/command.ts';
import type { EngineControls } from '../../harness/installation/engine-controls.ts';

export type OperatorCommands = ReturnType<typeof createOperatorCommands>;

export function createOperatorCommands(engines: EngineControls) {
  return {
    /** Resolves with its standard output. Throws StartError with its standard error where it fails. */
    async run(command: string, ...args: readonly string[]): Promise<string> {
      const env = engines.environment();
      const { code, stdout, stderr } = await runCommand(
        ['npm', 'run', '--silent', 'operate', '--', command, ...args],
        { env },
      );
      if (code === 0) return stdout.trim();
      throw new StartError(`npm run operate -- ${command} ended with ${code}: ${stderr.trim()}`);
    },
  };
}

/** A line for each group and topic with messages that are not handled, from the table of `npm run operate -- lag`. */
export function readLag(table: string): readonly string[] {
  const lines = table.split('\n').filter((line) => /^\S+\s+audiosplit\.\S+\s+-?[1-9]\d*$/.test(line));
  return lines.map((line) => line.replace(/\s+/g, ' '));
}

/** From the last line of `npm run operate -- dead-letters list`. Throws for another format. */
export function readDeadLetterCount(listing: string): number {
  const [, total] = /(?:^|\n)\d+ of (\d+) dead letters$/.exec(listing) ?? [];
  if (total === undefined) throw new Error(`npm run operate -- dead-letters printed: ${listing}`);
  return Number(total);
}

/** From the output of `npm run operate -- reconcile`. Throws where one of the lines is missing. */
export function readReconciliation(output: string) {
  const count = (what: RegExp) => {
    const [, digits] = new RegExp(`^(\\d+) ${what.source}`, 'm').exec(output) ?? [];
    if (digits === undefined) throw new Error(`npm run operate -- reconcile printed: ${output}`);
    return Number(digits);
  };
  return {
    jobsWithLosses: count(/jobs that lack segments/),
    unknownJobs: count(/unknown jobs with objects/),
    missingInvoices: count(/invoices without their PDF/),
  };
}
