/** Sends what is to be sent of a batch, file by file, and creates it. */
import { api, failureOf } from '../api/client.ts';
import { type ChosenBatch, type ChosenSource, filesOf } from '../audio/chosen-source.ts';
import type { SentFile } from '../upload/send-file.ts';
import type { SendOptions as FileOptions } from '../upload/send-parts.ts';
import { keepRefused } from './refused-sources.ts';

interface SendOptions extends FileOptions {
  readonly settings: Parameters<typeof api.batches.create.mutate>[0]['settings'];
  readonly upload: (file: File, options: FileOptions) => Promise<SentFile>;
  readonly onSent: () => void;
}

/** Files that have been sent, for when the rest is tried again. */
const sent = new WeakMap<ChosenBatch, Map<File, SentFile>>();

/** Resolves with the batch's id. */
export async function sendBatch(
  batch: ChosenBatch,
  { settings, upload, onProgress, onSent, signal }: SendOptions,
): Promise<string> {
  const links = sent.get(batch) ?? new Map<File, SentFile>();
  sent.set(batch, links);
  const files = filesOf(batch);
  const total = bytesOf(files);
  for (const file of files) {
    if (links.has(file)) continue;
    const before = bytesOf([...links.keys()]);
    const options: FileOptions = {
      onProgress: (fraction, isBroken) => onProgress((before + fraction * file.size) / total, isBroken),
      signal,
    };
    links.set(file, await withinRate(() => upload(file, options), signal));
  }
  signal.throwIfAborted();
  onSent();
  const sources = batch.sources.map((source) => linkOf(source, links));
  const { id, refused } = await withinRate(
    () => api.batches.create.mutate({ sources, settings }, { signal }),
    signal,
  );
  for (const { forget } of links.values()) forget();
  sent.delete(batch);
  keepRefused(id, sources, refused);
  return id;
}

function linkOf(source: ChosenSource, links: ReadonlyMap<File, SentFile>): string {
  return source.kind === 'url' ? source.url : (links.get(source.file)?.sourceUrl ?? '');
}

function bytesOf(files: readonly File[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** Many files may take more calls than the plan has in a minute. */
async function withinRate<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const { retryAfterSeconds } = failureOf(error);
      if (signal.aborted || retryAfterSeconds === undefined) throw error;
      await pause(retryAfterSeconds * 1_000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
