import { messageOf } from '@audiosplit/chassis/errors';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { ConfigError } from '@audiosplit/chassis/process/env';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import type { Server } from './arguments.ts';
import { ApiFailure, ConnectionFailure } from './failures.ts';
import type { Manifest } from './manifest.ts';
import { formatClock } from './quantities.ts';
import { SourceError } from './source-file.ts';
import type { Source } from './sources.ts';
import { UsageError } from './usage.ts';

/** `6 segments, mp3, 0:48 of audio, 384 kB, in 2.4 s` */
export function describeManifest(
  { segments, outputFormat, sourceDuration }: Manifest,
  tookMs: number,
): string {
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  return [
    `${segments.length} ${segments.length === 1 ? 'segment' : 'segments'}`,
    ...(outputFormat === undefined ? [] : [outputFormat]),
    ...(sourceDuration === undefined ? [] : [`${formatClock(sourceDuration)} of audio`]),
    formatBytes(bytes),
    `in ${(tookMs / 1000).toFixed(1)} s`,
  ].join(', ');
}

/** One line for people; a refusal or a failed job as `CODE: message`. Undefined: not foreseen. */
export function describeFailure(
  error: unknown,
  { source, server }: { readonly source?: Source; readonly server: Server | undefined },
): string | undefined {
  if (error instanceof ApiFailure) {
    const hint =
      source?.kind === 'url' && server === undefined && isForbidden(error) ? ` ${EGRESS_HINT}` : '';
    return `${error.code}: ${error.message}${hint}`;
  }
  const isExplained =
    error instanceof UsageError ||
    error instanceof ConnectionFailure ||
    error instanceof SourceError ||
    error instanceof ConfigError ||
    error instanceof StartError ||
    (error instanceof Error && 'syscall' in error);
  return isExplained ? messageOf(error) : undefined;
}

const EGRESS_HINT =
  'For a source in your own network, put its range in front of the command: EGRESS_ALLOW_CIDRS=192.168.0.0/16';

/** Its form has been checked before, so what the system of our own refuses in a URL is where it leads. */
function isForbidden({ code, fields }: ApiFailure): boolean {
  return code === 'SOURCE_FORBIDDEN' || (code === 'INVALID_PARAMS' && fields.includes('sourceUrl'));
}
