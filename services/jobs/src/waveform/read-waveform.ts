/**
 * The waveform of a job. A splitter draws it at the first request. It is stored beside the segments, below
 * the job's prefix, and so deleted with them. The waveform of a dry run is drawn from its source: of an
 * upload at the first request, of a link by the dry run itself while it has the source. An empty object means
 * that nothing can be drawn.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '@audiosplit/chassis/clock';
import { ObjectNotFoundError, type ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { WaveformState } from '@audiosplit/proto/jobs/v1/jobs';
import { type SplitterService, WaveformOutcome } from '@audiosplit/proto/splitter/v1/splitter';
import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { isDryRun } from '../cut-json.ts';
import { JobNotFoundError } from '../errors.ts';
import { type Job, objectPrefixOf, segmentsKeptUntil } from '../job.ts';
import { deleteObjects } from '../retention/sweep-objects.ts';
import { findJob } from '../store/job/jobs.ts';
import { listSegments } from '../store/job/segments.ts';
import { beginDrawing, endDrawing } from '../store/job/waveforms.ts';

interface WaveformAnswer {
  readonly state: WaveformState;
  readonly waveform?: Uint8Array<ArrayBuffer>;
}

interface WaveformsOptions {
  readonly pool: Pool;
  readonly openStore: () => Promise<ObjectStore>;
  readonly splitter: Pick<Client<typeof SplitterService>, 'drawWaveform'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly segmentRetentionMs: number;
  readonly maxDrawingMs: number;
}

/** Disposing it aborts drawings in progress. */
export interface Waveforms extends AsyncDisposable {
  /** Waits briefly for a waveform that is being drawn. Throws JobNotFoundError. */
  read(accountId: string, jobId: string): Promise<WaveformAnswer>;
}

const HOLD_MS = 2_000;
/** If a process dies while drawing, the account waits this much longer. */
const LEASE_MARGIN_MS = 10_000;
const PENDING: WaveformAnswer = { state: WaveformState.PENDING };
const IMPOSSIBLE: WaveformAnswer = { state: WaveformState.IMPOSSIBLE };

export function createWaveforms(options: WaveformsOptions): Waveforms {
  const { pool, openStore, clock, log, segmentRetentionMs, maxDrawingMs } = options;
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  // Drawing outlasts the call that begins it and is not bound by that call's deadline.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  const isInTime = (job: Job) => {
    const keptUntil = segmentsKeptUntil(job, segmentRetentionMs);
    return keptUntil !== undefined && keptUntil > clock();
  };
  /** A dry run has no segments, but it has its source if that was uploaded. */
  const hasSound = ({ request: { cut, uploadKey, destination } }: Job) =>
    isDryRun(cut) ? uploadKey !== undefined : destination?.keepCopy !== false;

  async function drawAndKeep(job: Job): Promise<WaveformAnswer> {
    try {
      const waveform = await draw(options, job, closing.signal);
      if (waveform === undefined) return PENDING;
      const key = waveformKeyOf(job.id);
      const store = await openStore();
      await store.put(key, Readable.from([waveform]), {
        contentType: 'application/octet-stream',
        sizeBytes: waveform.length,
      });
      // The job may have been deleted meanwhile, with everything stored until then.
      const now = await findJob(pool, job.accountId, job.id);
      if (now === undefined || !isInTime(now)) await deleteObjects(options, objectPrefixOf(job.id));
      return answerOf(waveform);
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error, jobId: job.id }, 'a waveform could not be drawn');
      return PENDING;
    } finally {
      await endDrawing(pool, job.accountId).catch((error: unknown) => {
        log.warn({ err: error }, 'the end of a drawing could not be recorded; its lease will expire');
      });
    }
  }

  return {
    async read(accountId, jobId) {
      const job = await findJob(pool, accountId, jobId);
      if (job === undefined) throw new JobNotFoundError(jobId);
      if (!isInTime(job)) return IMPOSSIBLE;
      const kept = await readKept(await openStore(), jobId);
      if (kept !== undefined) return answerOf(kept);
      if (!hasSound(job)) return IMPOSSIBLE;
      if (closing.signal.aborted) return PENDING;
      if (!(await beginDrawing(pool, accountId, maxDrawingMs + LEASE_MARGIN_MS))) return PENDING;
      const drawing = outsideOfCalls(() => drawAndKeep(job));
      running.add(drawing);
      void drawing.finally(() => running.delete(drawing));
      const answered = new AbortController();
      try {
        return await Promise.race([
          drawing,
          delay(HOLD_MS, PENDING, { signal: answered.signal, ref: false }),
        ]);
      } finally {
        answered.abort();
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort(new Error('the service stops'));
      await Promise.all(running);
    },
  };
}

function waveformKeyOf(jobId: string): string {
  return `${objectPrefixOf(jobId)}waveform.dat`;
}

function answerOf(waveform: Uint8Array<ArrayBuffer>): WaveformAnswer {
  return waveform.length === 0 ? IMPOSSIBLE : { state: WaveformState.READY, waveform };
}

async function readKept(store: ObjectStore, jobId: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  try {
    const { body } = await store.get(waveformKeyOf(jobId));
    return Buffer.concat(await body.toArray());
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return undefined;
    throw error;
  }
}

/** Undefined: not now. Empty: never. */
async function draw(
  { pool, splitter, maxDrawingMs }: WaveformsOptions,
  { id, accountId, sourceDurationMs, sourceSizeBytes, request: { cut, uploadKey } }: Job,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const segments = await listSegments(pool, id);
  const last = Math.max(...segments.map(({ startMs, durationMs }) => startMs + durationMs));
  try {
    const { outcome, waveform } = await splitter.drawWaveform(
      {
        accountId,
        durationMs: BigInt(sourceDurationMs ?? last),
        segments:
          isDryRun(cut) && uploadKey !== undefined
            ? [{ objectKey: uploadKey, startMs: 0n, sizeBytes: BigInt(sourceSizeBytes ?? 0) }]
            : segments.map(({ objectKey, startMs, sizeBytes }) => ({
                objectKey,
                startMs: BigInt(startMs),
                sizeBytes: BigInt(sizeBytes),
              })),
      },
      { timeoutMs: maxDrawingMs, signal },
    );
    if (outcome === WaveformOutcome.DRAWN) return new Uint8Array(waveform);
    return outcome === WaveformOutcome.UNDECODABLE ? new Uint8Array() : undefined;
  } catch (error) {
    if (error instanceof ConnectError && error.code === Code.DeadlineExceeded) return new Uint8Array();
    throw error;
  }
}
