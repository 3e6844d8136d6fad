/** A steady load of all kinds of requests, each kind in its own loop, that counts responses and failures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import { parseJobEvents } from '../accounts/job-events.ts';
import type { Account } from '../accounts/open-account.ts';

/** The URLs of a source that arrives at once, and of one that takes longer than a gateway's drain. */
export interface LoadSources {
  readonly fast: string;
  readonly slow: string;
}

const KINDS = ['create', 'read', 'list', 'download', 'follow'] as const;
type Kind = (typeof KINDS)[number];

export interface LoadReport {
  readonly answered: Readonly<Record<Kind, number>>;
  /** Streams that were resumed because they ended before their job. */
  readonly resumed: number;
  readonly created: number;
  readonly failures: readonly string[];
}

const PAUSES_MS = { create: 400, read: 60, list: 120, download: 120, follow: 200 };
/** One in this many jobs has a slow source. */
const SLOW_EVERY = 4;

export function startSteadyLoad({ client, send }: Account, sources: LoadSources) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const startedMs = performance.now();
  const answered: Record<Kind, number> = { create: 0, read: 0, list: 0, download: 0, follow: 0 };
  const failures: string[] = [];
  const jobIds: string[] = [];
  /** The last job with a slow source: its streams outlive the gateway at which they began. */
  let slowJobId: string | undefined;
  const completed = new Set<string>();
  let resumed = 0;

  const repeat = async (kind: Kind, act: () => Promise<boolean>) => {
    while (!signal.aborted) {
      try {
        if (await act()) answered[kind] += 1;
      } catch (error) {
        const isAbort = error instanceof Error && error.name === 'AbortError';
        const atSeconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
        if (!signal.aborted || !isAbort) failures.push(`${kind} at ${atSeconds} s: ${describe(error)}`);
      }
      await sleep(PAUSES_MS[kind], undefined, { signal }).catch(() => undefined);
    }
  };
  const anyOf = (ids: readonly string[]) => ids[Math.floor(Math.random() * ids.length)];

  const create = async () => {
    const source = jobIds.length % SLOW_EVERY === 1 ? 'slow' : 'fast';
    const cut = { splitMode: 'duration', segmentDuration: 20 } as const;
    const { id } = await client.createSplit({ sourceUrl: sources[source], ...cut });
    jobIds.push(id);
    if (source === 'slow') slowJobId = id;
    return true;
  };
  const read = async () => {
    const id = anyOf(jobIds.slice(-20));
    if (id === undefined) return false;
    const { status } = await client.getSplit(id);
    if (status === 'failed') throw new Error(`job ${id} has failed`);
    if (status === 'completed') completed.add(id);
    return true;
  };
  const list = async () => {
    await client.listSplits({ limit: 20 });
    return true;
  };
  const download = async () => {
    const id = anyOf([...completed]);
    if (id === undefined) return false;
    const job = await client.getSplit(id);
    const segment = job.status === 'completed' ? job.segments[0] : undefined;
    if (segment === undefined) throw new Error(`job ${id} has no segments`);
    const response = await send(`GET ${segment.downloadUrl}`);
    if (response.status !== 200) throw new Error(`a download was answered with ${response.status}`);
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength !== segment.size)
      throw new Error(`${bytes.byteLength} of ${segment.size} bytes came`);
    return true;
  };
  const follow = async () => {
    const jobId = slowJobId;
    if (jobId === undefined) return false;
    let lastEventId = -1;
    let lastData: string | undefined;
    for (let streams = 0; ; streams += 1) {
      const headers = lastEventId < 0 ? {} : { 'last-event-id': String(lastEventId) };
      const response = await send(`GET /api/v1/splits/${jobId}/events`, { headers, signal });
      if (response.status !== 200 && response.status !== 204)
        throw new Error(`${response.status}: ${(await response.text()).slice(0, 300)}`);
      if (streams > 0) resumed += 1;
      const events = parseJobEvents(await response.text());
      for (const { id, data } of events) {
        // A new phase at the same percentage has the same id.
        if (id < lastEventId || data === lastData) throw new Error(`event ${id} came after ${lastEventId}`);
        lastEventId = id;
        lastData = data;
      }
      if (events.at(-1)?.event === 'completed') return true;
      if (response.status === 204) throw new Error('the stream ended without the end of the job');
    }
  };

  const acts: Readonly<Record<Kind, () => Promise<boolean>>> = { create, read, list, download, follow };
  const loops = KINDS.map((kind) => repeat(kind, acts[kind]));
  return {
    /** Whether each kind has succeeded, downloads included, which need a completed job. */
    hasUsedEverything: () => KINDS.every((kind) => answered[kind] > 0),
    async stop(): Promise<LoadReport> {
      stopping.abort();
      await Promise.all(loops);
      return { answered, resumed, created: jobIds.length, failures };
    },
  };
}

function describe(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}
