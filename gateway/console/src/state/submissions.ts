/**
 * Sources on their way to a job: a file is sent, then its job is created. They go on while the user looks at other pages of
 * the console, until they are dismissed, the session ends, or the document goes away.
 */
import { api, type Failure, failureOf } from '../api/client.ts';
import { type ChosenSource, nameOf } from '../audio/chosen-source.ts';
import { keepPeaks, type Peaks } from '../audio/peaks.ts';
import { sendFile, UploadError } from '../audio/upload.ts';
import { announce, tell } from './announce.ts';
import { holdConsole, type Work } from './leaving.ts';
import { navigate } from './location.ts';
import { createStore } from './store.ts';

export type Stage =
  | { readonly kind: 'sending'; readonly fraction: number }
  | { readonly kind: 'starting' }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'begun'; readonly jobId: string };

interface Order {
  readonly source: ChosenSource;
  /** Of the call that creates the job, but for its source. */
  readonly body: Omit<Parameters<typeof api.jobs.create.mutate>[0], 'sourceUrl'>;
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

async function run(id: number, { source, body, peaks }: Order): Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  aborts.set(id, controller);
  try {
    const sourceUrl =
      source.kind === 'url'
        ? source.url
        : await upload(
            source.file,
            (fraction) => change(id, { stage: { kind: 'sending', fraction } }),
            signal,
          );
    signal.throwIfAborted();
    change(id, { stage: { kind: 'starting' } });
    const job = await api.jobs.create.mutate({ sourceUrl, ...body }, { signal });
    const read = peaks();
    if (read !== undefined) keepPeaks(job.id, read);
    signal.throwIfAborted();
    begun(id, job.id, nameOf(source));
  } catch (error) {
    if (signal.aborted) return;
    const failure = error instanceof UploadError ? error.failure : failureOf(error);
    const isSeen = shownSubmission.get() === id;
    change(id, { stage: { kind: 'failed', failure }, isSeen });
    if (!isSeen) announce(`${nameOf(source)}: ${failure.message}`);
  } finally {
    if (aborts.get(id) === controller) aborts.delete(id);
  }
}

function begun(id: number, jobId: string, name: string): void {
  if (shownSubmission.get() !== id) {
    change(id, { stage: { kind: 'begun', jobId } });
    announce(`The split of ${name} has begun.`);
    return;
  }
  tell('The split has begun.');
  dismissSubmission(id);
  navigate(`/jobs/${jobId}`);
}

async function upload(
  file: File,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const { uploadUrl, sourceUrl } = await api.jobs.createUpload.mutate(
    { fileName: file.name.slice(-255) },
    { signal },
  );
  await sendFile(uploadUrl, file, onProgress, signal);
  return sourceUrl;
}

function change(id: number, changed: Partial<Submission>): void {
  submissions.set(submissions.get().map((each) => (each.id === id ? { ...each, ...changed } : each)));
}

function firstStageOf({ source }: Order): Stage {
  return source.kind === 'file' ? { kind: 'sending', fraction: 0 } : { kind: 'starting' };
}

/** Undefined if nothing would be lost. */
function workOf(all: readonly Submission[]): Work | undefined {
  const sent = all.filter(({ stage }) => stage.kind === 'sending');
  const [first, second] = sent;
  if (first !== undefined) {
    return {
      title: second === undefined ? 'Stop the upload?' : `Stop ${sent.length} uploads?`,
      text: `${
        second === undefined ? `${nameOf(first.order.source)} is` : `${sent.length} files are`
      } still being sent. If you leave now the upload stops, and nothing is split.`,
      action: 'Stop and leave',
    };
  }
  if (!all.some(({ stage }) => stage.kind === 'starting')) return undefined;
  return {
    title: 'Leave before the split has begun?',
    text: 'The service has been asked for the split and has not answered yet. If you leave now, look at your jobs for whether it has begun.',
    action: 'Leave',
  };
}
