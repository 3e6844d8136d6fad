import { inspect } from 'node:util';
import { EngineStartError } from '../engines/engine-start-error.ts';
import { UsageError } from './command-line.ts';
import { Interrupted } from './interruption.ts';
import { ProvisionError } from './provision-error.ts';
import { ToolError } from './run-tool.ts';

/** What a person at a terminal is told: what went wrong, and what to do next. */
export function explainFailure(error: unknown): string {
  if (error instanceof EngineStartError) {
    return [
      error.message,
      `--- last lines of ${error.logFile}`,
      error.logTail,
      '---',
      'Whatever was started with it has been stopped. Mend what the log complains of and run npm run up -- engines again;',
      'to begin with empty data, run npm run down -- engines (with the same --dir) before.',
      '',
    ].join('\n');
  }
  if (error instanceof ToolError) {
    return `${error.message}\nWhatever was started has been stopped. Mend this and run the same command again: it goes on from there.\n`;
  }
  const isExpected =
    error instanceof ProvisionError || error instanceof UsageError || error instanceof Interrupted;
  return `${isExpected ? error.message : inspect(error)}\n`;
}
