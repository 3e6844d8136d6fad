/** Errors in a form on which an agent can act: a code, what is wrong, and what to do. */
import { AudiosplitError, type FailedJob } from '@audiosplit/client';
import { REMEDIES } from './generated/remedies.ts';
import { ToolError } from './tool-error.ts';

/** Undefined for an unforeseen error. */
export function explain(error: unknown): string | undefined {
  if (error instanceof ToolError) return error.message;
  if (!(error instanceof AudiosplitError)) return undefined;
  const { code, message, details = [], retryAfter } = error;
  const fields = details.map((each) => `${each.field}: ${each.message}`);
  const pause = retryAfter === undefined ? [] : [`Try again in ${retryAfter} s.`];
  return [`${code}: ${message}`, ...fields, ...remedyOf(code), ...pause].join('\n');
}

export function failedJob({ id, error: { code, message } }: FailedJob): ToolError {
  return new ToolError([`${code}: ${message}`, ...remedyOf(code), `The job was ${id}.`].join('\n'));
}

function remedyOf(code: string): readonly string[] {
  const remedy = REMEDIES[code];
  return remedy === undefined ? [] : [`What to do: ${remedy}`];
}
