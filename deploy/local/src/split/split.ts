/**
 * One split from a source to files: upload (a local file), create the job, wait, download, manifest.
 * Whatever breaks it off once the job exists, an interruption included, cancels the job.
 */
import { basename } from 'node:path';
import { type ApiClient, createApiClient } from './api-client.ts';
import type { Server, SplitOrder } from './arguments.ts';
import { awaitJob } from './await-job.ts';
import { downloadSegments } from './download-segments.ts';
import { createManifest, type Manifest, writeManifest } from './manifest.ts';
import type { Progress } from './progress.ts';
import { withRetries } from './retry.ts';
import { type SourceFile, uploadSource } from './upload-source.ts';

export interface SplitContext {
  readonly server: Server;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** `file` is the inspected source, where it is a local one. */
export async function splitAudio(
  order: SplitOrder,
  file: SourceFile | undefined,
  context: SplitContext,
): Promise<Manifest> {
  const { progress, signal } = context;
  const onWait = (reason: string) => progress.note(reason);
  const client = createApiClient({ server: context.server, signal, onWait });
  const retries = { isRepeatable: true, signal, onWait };

  const sourceUrl = file === undefined ? urlOf(order) : await upload(file);
  progress.begin('split', 100, 'percent');
  const { id } = await client.createJob({ sourceUrl, ...order.wish });
  const job = await awaitJob(client, id, {
    signal,
    onProgress: (percent) => progress.advance(percent),
  }).catch((error: unknown) => cancelAndRethrow(client, id, error));
  const totalBytes = job.segments.reduce((sum, { size }) => sum + size, 0);
  progress.begin('download', totalBytes, 'bytes');
  const onBytes = (received: number) => progress.advance(received);
  const downloaded = await downloadSegments(job.segments, order.outDir, { ...retries, onBytes });
  const manifest = createManifest(sourceText(order), order.wish, job, downloaded);
  await writeManifest(order.outDir, manifest);
  return manifest;

  async function upload(source: SourceFile): Promise<string> {
    progress.begin('upload', source.sizeBytes, 'bytes');
    const links = await client.createUpload(basename(source.path));
    await withRetries(retries, () =>
      uploadSource(source, links.uploadUrl, { signal, onBytes: (sent) => progress.advance(sent) }),
    );
    return links.sourceUrl;
  }
}

/** The job's own failure needs no cancellation; asking for one then is refused, which is as good. */
async function cancelAndRethrow(client: ApiClient, jobId: string, error: unknown): Promise<never> {
  await client.cancelJob(jobId).catch(() => undefined);
  throw error;
}

function urlOf({ source }: SplitOrder): string {
  if (source.kind === 'file') throw new Error('a local source was not inspected');
  return source.url;
}

function sourceText({ source }: SplitOrder): string {
  switch (source.kind) {
    case 'file':
      return source.path;
    case 'url':
      return source.url;
    default:
      return source satisfies never;
  }
}
