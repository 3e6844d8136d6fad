/**
 * One split from a source to files: upload (of local bytes), create the job, wait, download, manifest. Whatever breaks it
 * off once the job exists, an interruption included, cancels the job. Segments appear in their folder when all are there.
 */
import { type ApiClient, createApiClient } from './api-client.ts';
import type { Server, SplitSettings } from './arguments.ts';
import { awaitJob } from './await-job.ts';
import { downloadSegments } from './download-segments.ts';
import { makeStaging } from './folders.ts';
import { createManifest, MANIFEST_FILE, type Manifest, writeManifest } from './manifest.ts';
import type { Progress } from './progress.ts';
import { withRetries } from './retry.ts';
import type { SourceFile } from './source-file.ts';
import { type SplitTask, sourceText } from './sources.ts';
import { uploadSource } from './upload-source.ts';

export interface SplitContext {
  readonly server: Server;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** `content` is a file, or the URL that the server fetches. */
export async function splitAudio(
  { source, outDir }: SplitTask,
  settings: SplitSettings,
  content: SourceFile | string,
  context: SplitContext,
): Promise<Manifest> {
  const { progress, signal } = context;
  const onWait = (reason: string) => progress.note(reason);
  const client = createApiClient({ server: context.server, signal, onWait });
  const retries = { isRepeatable: true, signal, onWait };

  const sourceUrl = typeof content === 'string' ? content : await upload(content);
  progress.begin('split', 100, 'percent');
  const { id } = await client.createJob({ sourceUrl, ...settings });
  const job = await awaitJob(client, id, {
    signal,
    onProgress: (percent) => progress.advance(percent),
  }).catch((error: unknown) => cancelAndRethrow(client, id, error));
  const totalBytes = job.segments.reduce((sum, { size }) => sum + size, 0);
  progress.begin('download', totalBytes, 'bytes');
  const onBytes = (received: number) => progress.advance(received);
  await using staging = await makeStaging(outDir);
  const downloaded = await downloadSegments(job.segments, staging.path, { ...retries, onBytes });
  const manifest = createManifest(sourceText(source), settings, job, downloaded);
  await writeManifest(staging.path, manifest);
  await staging.settle([...downloaded.map(({ file }) => file), MANIFEST_FILE]);
  return manifest;

  async function upload(file: SourceFile): Promise<string> {
    progress.begin('upload', file.sizeBytes, 'bytes');
    const links = await client.createUpload(file.name);
    await withRetries(retries, () =>
      uploadSource(file, links.uploadUrl, { signal, onBytes: (sent) => progress.advance(sent) }),
    );
    return links.sourceUrl;
  }
}

/** The job's own failure needs no cancellation; asking for one then is refused, which is as good. */
async function cancelAndRethrow(client: ApiClient, jobId: string, error: unknown): Promise<never> {
  await client.cancelJob(jobId).catch(() => undefined);
  throw error;
}
