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
    what: 'jobs that a splitter works on concurrently; those that wait for their source do not count',
    default: Math.min(availableParallelism(), MAX_CONCURRENCY),
    shownDefault: 'one per CPU, at most 64',
    min: 1,
    max: MAX_CONCURRENCY,
    chart: 'splitter.concurrency',
    bound: {
      beyond: 'waits; accounts take turns',
      metric: '`audiosplit_splitter_slots_busy`',
    },
  }),
  SPLITTER_FETCHES: integer({
    what: 'sources that a splitter fetches concurrently; at most twice as many jobs are claimed, and each may store 2 MiB of scratch ahead of its work',
    default: 64,
    min: 1,
    max: 1_024,
    bound: {
      beyond:
        'waits in the queue of its account; for an account below its share, the newest fetch of the account with the most is interrupted',
      metric: '`audiosplit_splitter_fetches`',
    },
  }),
  SPLITTER_BUCKET_TRANSFERS: integer({
    what: 'segments that a splitter sends to buckets of accounts concurrently; each may use 16 MiB of memory',
    default: 16,
    min: 1,
    max: 256,
    bound: {
      beyond:
        'waits in the queue of its account; for an account below its share, the newest transfer of the account with the most starts again',
      metric: '`audiosplit_splitter_bucket_transfers`',
    },
  }),
  DRY_RUN_WAVEFORM_MAX_SECONDS: integer({
    what: 'how long a dry run of a link may draw the waveform of its source',
    default: 60,
    min: 1,
    max: 600,
    bound: {
      beyond: 'the dry run goes on without a waveform; asking for it gives 404 `NOT_FOUND`',
      metric: '`audiosplit_splitter_dry_run_waveforms_total{outcome="left_out"}`',
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
    bound: {
      beyond: 'the job fails with `SOURCE_TIMEOUT`',
      metric: '`audiosplit_job_failures_total{code="SOURCE_TIMEOUT"}`',
    },
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
    what: 'how much jobs may store in that folder in total; jobs that do not fit wait',
    shownDefault: '80 % of the free space of its file system at the start',
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    chart: 'splitter.scratch.sizeLimit',
    bound: {
      beyond: 'waits in the queue of its account; a job that can never fit fails with `OUTPUT_TOO_LARGE`',
      metric: '`audiosplit_splitter_scratch_reserved_bytes`',
    },
  }),
  FFMPEG_PATH: text({ what: 'path of ffmpeg', shownDefault: 'the build that npm installs' }),
  DECODER_SANDBOX: oneOf(SANDBOX_MODES, {
    what: 'whether ffmpeg must be confined, is confined if the host allows it, or is not confined (docs/security.md)',
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
  /** Jobs that this process works on concurrently. */
  readonly concurrency: number;
  /** Sources that it fetches concurrently. */
  readonly fetches: number;
  /** Segments that it sends to buckets of accounts concurrently. */
  readonly bucketTransfers: number;
  /** The maximum time for drawing the waveform of a dry run of a link. */
  readonly maxDrawingMs: number;
  /**
   * Long conversions are divided, so that several splitters work on one at once; undefined: no job is
   * divided.
   */
  readonly division: DivisionOptions | undefined;
  /** Private folders of running jobs are created below it. */
  readonly scratchDir: string;
  /**
   * What jobs may store in it in total; undefined: most of the free space of its file system at the start.
   */
  readonly scratchLimitBytes: number | undefined;
  /** Undefined: the build of the npm package. */
  readonly ffmpegPath: string | undefined;
  readonly sandboxMode: SandboxMode;
  readonly egress: EgressPolicy;
  /** Empty: the system's. */
  readonly dnsServers: readonly string[];
  readonly sourceLimits: SourceLimits;
  /** The address of uploads in jobs that an earlier release has created. */
  readonly publicBaseUrl: string | undefined;
  /** How long running jobs may continue once the process must stop; the rest is handed back. */
  readonly drainGraceMs: number;
}

/** Throws ConfigError. */
export function readSplitterConfig(env: Env): SplitterConfig {
  const values = readSettings(SETTINGS, env);
  return {
    concurrency: values.SPLITTER_CONCURRENCY,
    fetches: values.SPLITTER_FETCHES,
    bucketTransfers: values.SPLITTER_BUCKET_TRANSFERS,
    maxDrawingMs: values.DRY_RUN_WAVEFORM_MAX_SECONDS * 1_000,
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
