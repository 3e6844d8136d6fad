import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EgressPolicy } from '@audiosplit/chassis/egress/egress';
import {
  DNS_SERVERS,
  EGRESS_ALLOW_CIDRS,
  EGRESS_ALLOW_URL_PREFIXES,
} from '@audiosplit/chassis/egress/egress-settings';
import type { Env } from '@audiosplit/chassis/process/env';
import { flag, integer, oneOf, readSettings, text } from '@audiosplit/chassis/process/settings';
import { DIVISION, type DivisionOptions } from '@audiosplit/engine/parts/plan-parts';
import { SANDBOX_MODES, type SandboxMode } from '@audiosplit/engine/sandbox/find-sandbox';
import { DEFAULT_SOURCE_LIMITS, type SourceLimits } from './source/source-limits.ts';

const MAX_CONCURRENCY = 64;

export const SETTINGS = {
  SPLITTER_CONCURRENCY: integer({
    what: 'jobs that a splitter works on at the same time; those that wait for their source take no part of it',
    default: Math.min(availableParallelism(), MAX_CONCURRENCY),
    shownDefault: 'one per CPU, at most 64',
    min: 1,
    max: MAX_CONCURRENCY,
    chart: 'splitter.concurrency',
  }),
  SPLITTER_FETCHES: integer({
    what: 'sources that a splitter fetches at the same time; at most twice as many jobs are claimed, and each may hold 2 MiB of scratch ahead of its work',
    default: 64,
    min: 1,
    max: 1_024,
    bound: {
      beyond:
        'waits in the line of its account; the newest fetch of the account that holds most is set aside for one below its share',
      metric: '`audiosplit_splitter_fetches`',
    },
  }),
  SPLITTER_PARTS: flag({
    what: 'divide long conversions, so that several splitters work on one job',
    default: 'false',
    chart: 'splitter.parts',
  }),
  SOURCE_FETCH_MAX_SECONDS: integer({
    what: 'limit for all transfers of a source together',
    default: 3_600,
    min: 1,
    max: 86_400,
    chart: 'splitter.sourceFetchMaxSeconds',
  }),
  EGRESS_ALLOW_CIDRS,
  EGRESS_ALLOW_URL_PREFIXES,
  DNS_SERVERS,
  PUBLIC_BASE_URL: text({
    what: 'address of the gateway; uploads of earlier releases below it are read from the storage directly',
    chart: 'publicBaseUrl',
  }),
  SCRATCH_DIR: text({
    what: 'folder for the files of running jobs',
    default: join(tmpdir(), 'audiosplit-scratch'),
    shownDefault: '`audiosplit-scratch` in the folder for temporary files',
  }),
  SCRATCH_LIMIT_BYTES: integer({
    what: 'how much jobs may hold in that folder together; what does not fit waits',
    shownDefault: '80 % of what its file system has free at the start',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    chart: 'splitter.scratch.sizeLimit',
  }),
  FFMPEG_PATH: text({ what: 'path of ffmpeg', shownDefault: 'the build that npm installs' }),
  DECODER_SANDBOX: oneOf(SANDBOX_MODES, {
    what: 'whether ffmpeg has to be confined, is where the host allows it, or is not (docs/security.md)',
    default: 'preferred',
    chart: 'splitter.decoderSandbox',
  }),
  DRAIN_GRACE_SECONDS: integer({
    what: 'how long a stopping splitter continues its jobs before it hands them back',
    default: 60,
    min: 0,
    max: 3_600,
    chart: 'drain.graceSeconds',
  }),
};

export interface SplitterConfig {
  /** Jobs that this process works on at the same time. */
  readonly concurrency: number;
  /** Sources that it fetches at the same time. */
  readonly fetches: number;
  /** Long conversions are divided, so that several splitters work on one at once; undefined: no job is divided. */
  readonly division: DivisionOptions | undefined;
  /** Private folders of running jobs are made below it. */
  readonly scratchDir: string;
  /** What jobs may hold in it together; undefined: most of what its file system has free at the start. */
  readonly scratchLimitBytes: number | undefined;
  /** Undefined: the build that comes with the npm package. */
  readonly ffmpegPath: string | undefined;
  readonly sandboxMode: SandboxMode;
  readonly egress: EgressPolicy;
  /** None: the system's. */
  readonly dnsServers: readonly string[];
  readonly sourceLimits: SourceLimits;
  /** Below this address lie the uploads of jobs that an earlier release has created. */
  readonly publicBaseUrl: string | undefined;
  /** How long running jobs may go on once the process has to stop; the rest is handed back. */
  readonly drainGraceMs: number;
}

/** Throws ConfigError. */
export function readSplitterConfig(env: Env): SplitterConfig {
  const values = readSettings(SETTINGS, env);
  return {
    concurrency: values.SPLITTER_CONCURRENCY,
    fetches: values.SPLITTER_FETCHES,
    division: values.SPLITTER_PARTS ? DIVISION : undefined,
    scratchDir: values.SCRATCH_DIR,
    scratchLimitBytes: values.SCRATCH_LIMIT_BYTES,
    ffmpegPath: values.FFMPEG_PATH,
    sandboxMode: values.DECODER_SANDBOX,
    egress: {
      allowCidrs: values.EGRESS_ALLOW_CIDRS,
      allowUrlPrefixes: values.EGRESS_ALLOW_URL_PREFIXES,
    },
    dnsServers: values.DNS_SERVERS,
    sourceLimits: { ...DEFAULT_SOURCE_LIMITS, maxFetchMs: values.SOURCE_FETCH_MAX_SECONDS * 1_000 },
    publicBaseUrl: values.PUBLIC_BASE_URL,
    drainGraceMs: values.DRAIN_GRACE_SECONDS * 1_000,
  };
}
