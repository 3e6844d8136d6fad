/**
 * A light load without retries, so that the record contains every response during an outage: jobs with real
 * audio, reads, lists, downloads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Target } from '../../harness/accounts/raw.ts';
import type { LoadAccount } from '../../harness/load/accounts.ts';
import type { Receiver } from '../../harness/servers/receiver.ts';
import type { Sources } from '../../harness/servers/sources.ts';

export type RequestKind = 'create' | 'read' | 'list' | 'download';

export interface ObservedRequest {
  readonly kind: RequestKind;
  /** Unix times. */
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** 0 without a response. */
  readonly status: number;
}

export interface LoadJob {
  /** The last part of its webhook's path. */
  readonly number: number;
  readonly id: string;
  readonly acceptedAtMs: number;
}

export type LightLoad = ReturnType<typeof startLightLoad>;

const PAUSES_MS: Readonly<Record<RequestKind, number>> = {
  create: 1_500,
  read: 500,
  list: 1_000,
  download: 1_000,
};
const TIMEOUT_MS = 15_000;
const SEGMENT_SECONDS = 20;
/** Every fourth job has a slow source, so that some are always in progress. */
const SLOW_EVERY = 4;
const SLOW_PACE_MS = 10_000;
const RECENT = 20;

export function startLightLoad(account: LoadAccount, sources: Sources, receiver: Receiver) {
  const stopping = new AbortController();
  const requests: ObservedRequest[] = [];
  const forgotten = new Set<string>();
  let accepted: LoadJob[] = [];
  let downloads: string[] = [];
  let numbers = 0;
  let isPaused = false;
  /** The accepted jobs, except the forgotten ones. */
  const jobs = () => accepted.filter(({ id }) => !forgotten.has(id));

  /** Sends the account's key; status 0 without a response. */
  const call = (target: Target, body?: object): Promise<Answer> =>
    account
      .raw(target, { body, signal: AbortSignal.timeout(TIMEOUT_MS) })
      .catch(() => ({ status: 0, body: undefined, headers: new Headers() }));
  const observed = async (kind: RequestKind, target: Target, body?: object) => {
    const beganAtMs = Date.now();
    const answer = await call(target, body);
    if (!stopping.signal.aborted)
      requests.push({ kind, beganAtMs, endedAtMs: Date.now(), status: answer.status });
    return answer;
  };
  /** Requests a job whose source takes `paceMs` to download; undefined if it was not accepted. */
  const post = async (paceMs: number): Promise<LoadJob | undefined> => {
    const number = numbers++;
    const { status, body } = await observed('create', 'POST /api/v1/splits', {
      sourceUrl: sources.url('tour.mp3', { paceMs }),
      splitMode: 'duration',
      segmentDuration: SEGMENT_SECONDS,
      webhookUrl: `${receiver.url}/${number}`,
    });
    if (status !== 201) return undefined;
    const job = { number, id: body.id, acceptedAtMs: Date.now() };
    accepted = [...accepted, job];
    return job;
  };
  const acts: Readonly<Record<RequestKind, () => Promise<unknown>>> = {
    create: () => post(numbers % SLOW_EVERY === 1 ? SLOW_PACE_MS : 0),
    async read() {
      const id = anyOf(jobs().slice(-RECENT))?.id;
      if (id === undefined) return;
      const { body } = await observed('read', `GET /api/v1/splits/${id}`);
      const [segment] = body?.segments ?? [];
      if (segment !== undefined) downloads = [...downloads.slice(-RECENT), segment.downloadUrl];
    },
    list: () => observed('list', 'GET /api/v1/splits?limit=20'),
    async download() {
      const url = anyOf(downloads);
      if (url !== undefined) await observed('download', `GET ${url}`);
    },
  };
  const loops = (Object.keys(acts) as RequestKind[]).map(async (kind) => {
    while (!stopping.signal.aborted) {
      if (!isPaused) await acts[kind]();
      await sleep(PAUSES_MS[kind], undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  });
  return {
    account,
    receiver,
    requests: requests as readonly ObservedRequest[],
    jobs,
    post,
    call,
    /** Stops reading these jobs: they are gone after a restore, or have lost their segments. */
    forget(ids: ReadonlySet<string>) {
      for (const id of ids) forgotten.add(id);
      downloads = [];
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

function anyOf<T>(all: readonly T[]): T | undefined {
  return all[Math.floor(Math.random() * all.length)];
}
