import { inspect } from 'node:util';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { UsageError } from './command-line.ts';
import { Interrupted } from './interruption.ts';
import { ProvisionError } from './provision-error.ts';
import { ToolError } from './run-tool.ts';

const EXPECTED = [ProvisionError, UsageError, StartError, ConfigError, Interrupted];

/** A text for people: what went wrong, and what to do next. */
export function explainFailure(error: unknown): string {
  if (isExplained(error)) return error.explanation;
  if (error instanceof ToolError) {
    return `${error.message}\nWhat had been started is stopped again. Fix this and run the same command again: it continues from there.\n`;
  }
  const isExpected = error instanceof Error && EXPECTED.some((expected) => error instanceof expected);
  return `${isExpected ? error.message : inspect(error)}\n`;
}

/** An error with an explanation of its own. */
function isExplained(error: unknown): error is Error & { readonly explanation: string } {
  return error instanceof Error && 'explanation' in error && typeof error.explanation === 'string';
}

/** Rejects with a StartError: the engines' tools write their messages for people. */
export async function asStartError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StartError(explainFailure(error).trimEnd());
  }
}
