/**
 * Sources on their way to a job: a file is sent, then its job is created. They go on while the user looks at other pages of
 * the console, until they are dismissed, the session ends, or the document goes away.
 */
import { api, type Failure, failureOf } from '../api/client.ts';
import { type Chosen, filesOf, nameOf } from '../audio/chosen-source.ts';
import { keepPeaks, type Peaks } from '../audio/peaks.ts';
import { type SentFile, sendFile } from '../upload/send-file.ts';
import type { SendOptions } from '../upload/send-parts.ts';
import { announce, tell } from './announce.ts';
import { holdConsole, type Work } from './leaving.ts';
import { navigate } from './location.ts';
import { sendBatch } from './send-batch.ts';
import { createStore } from './store.ts';

export type Stage =
  /** `isBroken`: the connection is gone, and is tried again. */
  | { readonly kind: 'sending'; readonly fraction: number; readonly isBroken: boolean }
  | { readonly kind: 'starting' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  /** `path` of the page of what has begun. */
  | { readonly kind: 'begun'; readonly path: string };

export const BROKEN_OFF = 'Connection lost, trying again';

/** What a batch does not take. */
export type FieldsOfOneJob = Pick<
  Parameters<typeof api.jobs.create.mutate>[0],
  'sourceHeaders' | 'destination' | 'keepCopy'
>;

interface Order {
  readonly source: Chosen;
  readonly settings: Parameters<typeof api.batches.create.mutate>[0]['settings'];
  /** Of no effect for a batch. */
  readonly ofOneJob: FieldsOfOneJob;
  /** Read when the job has been created. */
  readonly peaks: () => Peaks | undefined;
}

export interface Submission {
  readonly id: number;
  readonly order: Order;
  readonly stage: Stage;
  /** Its failure has been shown on the page that it was sent from. */
  readonly isSeen: boolean;
}

export const submissions = createStore<readonly Submission[]>([]);
/** The one whose page is open, which shows it by itself. */
export const shownSubmission = createStore<number | undefined>(undefined);

const aborts = new Map<number, AbortController>();
let lastId = 0;

submissions.subscribe(() => holdConsole(workOf(submissions.get()), dismissAll));

/** Returns its id. */
export function submit(order: Order): number {
  lastId += 1;
  const stage = firstStageOf(order);
  submissions.set([...submissions.get(), { id: lastId, order, stage, isSeen: false }]);
  void run(lastId, order);
  return lastId;
}

export function resubmit({ id, order }: Submission): void {
  change(id, { stage: firstStageOf(order), isSeen: false });
  void run(id, order);
}

/** Stops it if it is in progress. */
export function dismissSubmission(id: number | undefined): void {
  if (id === undefined) return;
  aborts.get(id)?.abort();
  aborts.delete(id);
  submissions.set(submissions.get().filter((each) => each.id !== id));
}

export function dismissAll(): void {
  for (const { id } of submissions.get()) dismissSubmission(id);
}

/** Until the returned function is called its page is open, which goes on to the job. */
export function showSubmission(id: number): () => void {
  shownSubmission.set(id);
  return () => {
    if (shownSubmission.get() === id) shownSubmission.set(undefined);
  };
}

async function run(id: number, order: Order): Promise<void> {
  const { source } = order;
  const controller = new AbortController();
  const { signal } = controller;
  aborts.set(id, controller);
  try {
    const path = await start(id, order, signal);
    signal.throwIfAborted();
    begun(id, path, nameOf(source));
  } catch (error) {
    if (signal.aborted) return;
    const failure = failureOf(error);
    const isSeen = shownSubmission.get() === id;
    change(id, { stage: { kind: 'failed', failure }, isSeen });
    if (!isSeen) announce(`${nameOf(source)}: ${failure.message}`);
  } finally {
    if (aborts.get(id) === controller) aborts.delete(id);
  }
}

/** Resolves with the path of the page of what has begun. */
async function start(
  id: number,
  { source, settings, ofOneJob, peaks }: Order,
  signal: AbortSignal,
): Promise<string> {
  const onProgress = (fraction: number, isBroken: boolean) => {
    if (signal.aborted) return;
    if (isBroken && shownSubmission.get() !== id) tell(`${nameOf(source)}: ${BROKEN_OFF}`);
    change(id, { stage: { kind: 'sending', fraction, isBroken } });
  };
  const onSent = () => change(id, { stage: { kind: 'starting' } });
  if (source.kind === 'batch') {
    return `/batches/${await sendBatch(source, { settings, upload, onProgress, onSent, signal })}`;
  }
  const { sourceUrl, forget } =
    source.kind === 'url'
      ? { sourceUrl: source.url, forget: () => undefined }
      : await upload(source.file, { onProgress, signal });
  signal.throwIfAborted();
  onSent();
  const job = await api.jobs.create.mutate({ sourceUrl, ...settings, ...ofOneJob }, { signal });
  forget();
  const read = peaks();
  if (read !== undefined) keepPeaks(job.id, read);
  return `/jobs/${job.id}`;
}

function begun(id: number, path: string, name: string): void {
  if (shownSubmission.get() !== id) {
    change(id, { stage: { kind: 'begun', path } });
    announce(`The split of ${name} has begun.`);
    return;
  }
  tell('The split has begun.');
  dismissSubmission(id);
  navigate(path);
}

function upload(file: File, options: SendOptions): Promise<SentFile> {
  const fileName = file.name.slice(-255);
  return sendFile(file, {
    ...options,
    // Not stopped by the signal: an upload that has been created can be given up.
    create: () => api.jobs.createResumableUpload.mutate({ fileName, fileType: file.type, size: file.size }),
  });
}

function change(id: number, changed: Partial<Submission>): void {
  submissions.set(submissions.get().map((each) => (each.id === id ? { ...each, ...changed } : each)));
}

function firstStageOf({ source }: Order): Stage {
  return filesOf(source).length > 0
    ? { kind: 'sending', fraction: 0, isBroken: false }
    : { kind: 'starting' };
}

/** Undefined if nothing would be lost. */
function workOf(all: readonly Submission[]): Work | undefined {
  const sent = all.filter(({ stage }) => stage.kind === 'sending');
  const [first, second] = sent;
  if (first !== undefined) {
    return {
      title: second === undefined ? 'Stop the upload?' : `Stop ${sent.length} uploads?`,
      text: `${
        second === undefined ? stillSent(first.order.source) : `${sent.length} uploads are`
      } still being sent. If you leave now the upload stops, and nothing is split.`,
      action: 'Stop and leave',
    };
  }
  if (!all.some(({ stage }) => stage.kind === 'starting')) return undefined;
  return {
    title: 'Leave before the split has begun?',
    text: 'The service has not answered the request yet. If you leave now, check your jobs to see whether the split has begun.',
    action: 'Leave',
  };
}

function stillSent(source: Chosen): string {
  return `${nameOf(source)} ${source.kind === 'batch' ? 'are' : 'is'}`;
}
