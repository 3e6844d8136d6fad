/**
 * One split from a source to files: upload (of local bytes), create the job, wait, download, manifest. Whatever breaks it
 * off once the job exists, an interruption included, cancels the job. Segments appear in their folder when all are there.
 */
import { type Audiosplit, type CompletedJob, createAudiosplit, type SplitRequest } from '@audiosplit/client';
import type { Server, SplitSettings } from '../arguments.ts';
import { describeRetry } from '../failures.ts';
import type { SourceHeaders } from '../options/source-headers.ts';
import type { Progress } from '../progress/progress.ts';
import { type SplitTask, sourceText } from '../sources.ts';
import type { Manifest } from './manifest.ts';
import type { SourceFile } from './source-file.ts';
import { writeJob } from './write-job.ts';

interface SplitContext {
  readonly server: Server;
  readonly sourceHeaders: SourceHeaders | undefined;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Called with the command that resumes an interrupted download. Absent: the server ends with this call. */
  readonly onBrokenOff?: ((command: string) => void) | undefined;
}

/** Some 30 s: long enough for a restart of the server, not for an outage. A full rate limit is no failure. */
const RETRIES = { maxRetries: 6, baseDelayMs: 1_000, maxRateLimitRetries: Number.POSITIVE_INFINITY };
/** The first request to the server is not repeated: where its address is wrong, that shows at once. */
const FIRST_REQUEST = { ...RETRIES, maxRetries: 0 };
const CALL_TIMEOUT_MS = 30_000;
/** A person who interrupts does not want to wait. */
const CANCEL_TIMEOUT_MS = 3_000;

/** `content` is a file, or the URL that the server fetches. */
export async function splitAudio(
  { source, outDir }: SplitTask,
  settings: SplitSettings,
  content: SourceFile | string,
  context: SplitContext,
): Promise<Manifest> {
  const { progress, signal, onBrokenOff } = context;
  const client = openClient(context);
  const job = await runJob(client, settings, content, context);
  const totalBytes = job.segments.reduce((sum, { size }) => sum + size, 0);
  progress.begin('download', totalBytes, 'bytes');
  const onFailure = (error: unknown): never => {
    onBrokenOff?.(`audiosplit jobs download ${job.id} --out ${outDir}`);
    throw error;
  };
  return await writeJob(client, job, {
    folder: outDir,
    source: sourceText(source),
    request: settings,
    isResumable: onBrokenOff !== undefined,
    signal,
    onBytes: (received) => progress.advance(received),
  }).catch(onFailure);
}

/** Writes no file: of a dry run, and of segments that lie in a bucket alone. */
export async function splitWithoutFiles(
  settings: SplitSettings,
  content: SourceFile | string,
  context: SplitContext,
): Promise<CompletedJob> {
  return runJob(openClient(context), settings, content, context);
}

function openClient({ server, progress }: SplitContext): Audiosplit {
  return createAudiosplit({
    ...server,
    retries: RETRIES,
    timeoutMs: CALL_TIMEOUT_MS,
    onRetry: (retry) => progress.note(describeRetry(retry)),
  });
}

/** Uploads a local source, and resolves when the job has completed. */
async function runJob(
  client: Audiosplit,
  settings: SplitSettings,
  content: SourceFile | string,
  { sourceHeaders, progress, signal }: SplitContext,
): Promise<CompletedJob> {
  const sourceUrl = typeof content === 'string' ? content : await upload(content);
  progress.begin('split', 100, 'percent');
  // A job whose id is unknown could not be canceled.
  const creation = { signal, finishRequest: true, retries: FIRST_REQUEST };
  const request = { sourceUrl, ...(sourceHeaders && { sourceHeaders }), ...settings } as SplitRequest;
  const { id } = await client.createSplit(request, creation);
  const job = await client
    .waitForJob(id, { signal, onProgress: (percent) => progress.advance(percent) })
    .catch((error: unknown) => cancelAndRethrow(client, id, error));
  progress.advance(100);
  return job;

  async function upload(file: SourceFile): Promise<string> {
    progress.begin('upload', file.sizeBytes, 'bytes');
    const link = await client.createUpload({ fileName: file.name }, { signal, retries: FIRST_REQUEST });
    await client.uploadTo(link, () => file.read(), {
      sizeBytes: file.sizeBytes,
      signal,
      onProgress: (sent) => progress.advance(sent),
    });
    return link.sourceUrl;
  }
}

/** The job's own failure needs no cancellation; asking for one then is refused, which is as good. */
async function cancelAndRethrow(client: Audiosplit, jobId: string, error: unknown): Promise<never> {
  const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
  await client.cancelSplit(jobId, { signal, retries: { maxRetries: 0 } }).catch(() => undefined);
  throw error;
}
