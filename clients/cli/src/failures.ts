/** Describes an error in one line for people. */
import { STATUS_CODES } from 'node:http';
import { AudiosplitError, JobFailedError, type Retry } from '@audiosplit/client';
import type { Server } from './arguments.ts';
import { messageOf } from './message-of.ts';
import { optionFor } from './options/cut-options.ts';
import type { Source } from './sources.ts';
import { SourceError } from './split/source-file.ts';
import { UsageError } from './usage.ts';

/** The system that is started for this call cannot start; its message is one line. */
export class SystemError extends Error {
  override readonly name = 'SystemError';
}

/** A refusal or a failed job as `CODE: message`. Undefined: not foreseen. */
export function describeFailure(
  error: unknown,
  { source, server }: { readonly source?: Source; readonly server: Server | undefined },
): string | undefined {
  if (error instanceof JobFailedError) return `${error.code}: ${error.job.error.message}${hintAt(error)}`;
  if (error instanceof AudiosplitError) return describeRefusal(error, hintAt(error));
  const isExplained =
    error instanceof UsageError ||
    error instanceof SourceError ||
    error instanceof SystemError ||
    (error instanceof Error && 'syscall' in error);
  return isExplained ? messageOf(error) : undefined;

  function hintAt(refusal: AudiosplitError | JobFailedError): string {
    return source?.kind === 'url' && server === undefined && isForbidden(refusal) ? ` ${EGRESS_HINT}` : '';
  }
}

/** `RATE_LIMITED, trying again in 7 s` */
export function describeRetry({ error, delayMs }: Retry): string {
  const reason = error.code === 'CONNECTION_FAILED' ? 'no connection' : codeOf(error);
  return `${reason}, trying again in ${Math.ceil(delayMs / 1000)} s`;
}

function describeRefusal(error: AudiosplitError, hint: string): string {
  const { code, status, host } = error;
  if (code === 'CONNECTION_FAILED') return error.message;
  if (code !== 'UNEXPECTED_ANSWER') return `${code}: ${inOptions(error)}${hint}`;
  if (status < 300) return `${host} does not answer like audiosplit: is --server right?`;
  // A redirection's message names where it leads.
  return `${codeOf(error)}: ${status < 400 ? error.message : `${host} answered ${STATUS_CODES[status] ?? ''}`}`;
}

/** The API names fields; who calls the command knows options. */
function inOptions({ message, details }: AudiosplitError): string {
  if (!details.some(({ field }) => optionFor(field) !== undefined)) return message;
  return details.map((each) => `${optionFor(each.field) ?? each.field} ${each.message}`).join('; ');
}

/** Answers of proxies have no code of the API. */
function codeOf({ code, status }: AudiosplitError): string {
  return code === 'UNEXPECTED_ANSWER' ? `HTTP_${status}` : code;
}

const EGRESS_HINT =
  'For a source in your own network, put its range in front of the command: EGRESS_ALLOW_CIDRS=192.168.0.0/16';

/** The form of the URL has been checked before, so what our own system refuses in it is where it leads. */
function isForbidden(error: AudiosplitError | JobFailedError): boolean {
  if (error.code === 'SOURCE_FORBIDDEN') return true;
  return (
    error instanceof AudiosplitError &&
    error.code === 'INVALID_PARAMS' &&
    error.details.some(({ field }) => field === 'sourceUrl')
  );
}
