/** The operator's commands as they are typed: `npm run …` in a checkout, with the engines' addresses in the environment. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import type { EngineControls } from '../../harness/installation/engine-controls.ts';

export interface OperatorCommands {
  /** Resolves with its standard output. Throws StartError with its standard error where it fails. */
  run(command: string, ...args: readonly string[]): Promise<string>;
}

export function createOperatorCommands(engines: EngineControls): OperatorCommands {
  return {
    async run(command, ...args) {
      const child = spawn('npm', ['run', '--silent', 'operate', '--', command, ...args], {
        cwd: repositoryRoot,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
          ...engines.environment(),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      let errors = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      const [code] = await once(child, 'close');
      if (code !== 0)
        throw new StartError(`npm run operate -- ${command} ended with ${code}: ${errors.trim()}`);
      return output.trim();
    },
  };
}

/** Messages that consumer groups have not handled, from the table of `npm run operate -- lag`: a line for each group and topic. */
export function readLag(table: string): { readonly messages: number; readonly lines: readonly string[] } {
  const lines = table.split('\n').filter((line) => /^\S+\s+audiosplit\.\S+\s+-?[1-9]\d*$/.test(line));
  return {
    messages: lines.reduce((sum, line) => sum + Math.abs(Number(/-?\d+$/.exec(line)?.[0])), 0),
    lines: lines.map((line) => line.replace(/\s+/g, ' ')),
  };
}

/** From the last line of `npm run operate -- dead-letters list`. Throws for another format. */
export function readDeadLetterCount(listing: string): number {
  const [, total] = /(?:^|\n)\d+ of (\d+) dead letters$/.exec(listing) ?? [];
  if (total === undefined) throw new Error(`npm run operate -- dead-letters printed: ${listing}`);
  return Number(total);
}

export interface ReconcileSummary {
  readonly jobsWithLosses: number;
  readonly unknownJobs: number;
  readonly missingInvoices: number;
}

/** Throws where one of the lines is missing. */
export function readReconciliation(output: string): ReconcileSummary {
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
