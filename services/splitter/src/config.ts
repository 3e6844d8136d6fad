import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressPolicy } from '@audiosplit/chassis/egress/egress';
import { parseEgressPolicy } from '@audiosplit/chassis/egress/egress-policy';
import { messageOf } from '@audiosplit/chassis/errors';
import {
  ConfigError,
  type Env,
  integer,
  list,
  MIN_SECRET_BYTES,
  oneOf,
  optionalText,
  secret,
  text,
} from '@audiosplit/chassis/process/env';
import { DIVISION, type DivisionOptions } from './media/parts/plan-parts.ts';
import { DEFAULT_SOURCE_LIMITS, type SourceLimits } from './source/source-limits.ts';

export interface SplitterConfig {
  /** Jobs that this process works on at the same time. */
  readonly concurrency: number;
  /** Long conversions are divided, so that several splitters work on one at once; undefined: every job is done whole. */
  readonly division: DivisionOptions | undefined;
  /** Private folders of running jobs are made below it. */
  readonly scratchDir: string;
  /** What all files in it may take together, where the platform enforces a limit; undefined: what its file system holds. */
  readonly scratchLimitBytes: number | undefined;
  /** Undefined: the build that comes with the npm package. */
  readonly ffmpegPath: string | undefined;
  readonly egress: EgressPolicy;
  readonly sourceLimits: SourceLimits;
  /** Below this address lie the uploads, which are read from the object store directly. */
  readonly publicBaseUrl: string | undefined;
  readonly downloadSecret: string;
  /** How long running jobs may go on once the process has to stop; the rest is handed back. */
  readonly drainGraceMs: number;
}

export function readSplitterConfig(env: Env): SplitterConfig {
  const allowCidrs = list(env, 'EGRESS_ALLOW_CIDRS');
  const egress = { allowCidrs, allowUrlPrefixes: list(env, 'EGRESS_ALLOW_URL_PREFIXES') };
  try {
    parseEgressPolicy(egress);
  } catch (error) {
    throw new ConfigError(
      'EGRESS_ALLOW_CIDRS',
      allowCidrs.join(','),
      `CIDR ranges separated by commas (${messageOf(error)})`,
    );
  }
  return {
    concurrency: integer(env, 'SPLITTER_CONCURRENCY', availableParallelism(), 1, 64),
    division: oneOf(env, 'SPLITTER_PARTS', ['true', 'false'], 'false') === 'true' ? DIVISION : undefined,
    scratchDir: text(env, 'SCRATCH_DIR', join(tmpdir(), 'audiosplit-scratch')),
    scratchLimitBytes:
      optionalText(env, 'SCRATCH_LIMIT_BYTES') === undefined
        ? undefined
        : integer(env, 'SCRATCH_LIMIT_BYTES', 0, 1, Number.MAX_SAFE_INTEGER),
    ffmpegPath: optionalText(env, 'FFMPEG_PATH'),
    egress,
    sourceLimits: {
      ...DEFAULT_SOURCE_LIMITS,
      maxFetchMs: integer(env, 'SOURCE_FETCH_MAX_SECONDS', 3_600, 1, 86_400) * 1_000,
    },
    publicBaseUrl: optionalText(env, 'PUBLIC_BASE_URL'),
    downloadSecret: secret(env, 'DOWNLOAD_SECRET', MIN_SECRET_BYTES),
    drainGraceMs: integer(env, 'DRAIN_GRACE_SECONDS', 60, 0, 3_600) * 1_000,
  };
}
