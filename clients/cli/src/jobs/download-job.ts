import type { Audiosplit, CompletedJob } from '@audiosplit/client';
import { CUT_SHAPES } from '@audiosplit/cuts/generated/cut-fields';
import { createCleanupStack } from '@audiosplit/engine/cleanup-stack';
import type { SplitSettings } from '../arguments.ts';
import { checkOutFolder, makeOutFolder, stagingName } from '../split/folders.ts';
import type { Manifest } from '../split/manifest.ts';
import { writeJob } from '../split/write-job.ts';
import { UsageError } from '../usage.ts';

interface JobDownloadOptions {
  readonly folder: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Waits for a running job. Interrupted downloads of segments are resumed. */
export async function downloadJob(
  client: Audiosplit,
  jobId: string,
  { folder, force, signal }: JobDownloadOptions,
): Promise<Manifest> {
  await checkOutFolder(folder, force, stagingName(jobId));
  const job = await client.waitForJob(jobId, { signal });
  if (job.keepCopy === false)
    throw new UsageError(
      `the segments of ${jobId} lie in a bucket alone: audiosplit jobs show ${jobId} says where`,
    );
  await using running = createCleanupStack();
  running.use(await makeOutFolder(folder));
  return await writeJob(client, job, {
    folder,
    source: job.sourceUrl,
    request: requestOf(job),
    isResumable: true,
    signal,
    onBytes: () => undefined,
  });
}

/** What of a job says how it was cut, and where its segments went. */
const CUT_FIELDS = ['splitMode', 'outputFormat', 'destination', ...Object.keys(CUT_SHAPES)];

function requestOf(job: CompletedJob): SplitSettings {
  const fields = Object.entries(job).filter(([name]) => CUT_FIELDS.includes(name));
  return Object.fromEntries(fields) as SplitSettings;
}
