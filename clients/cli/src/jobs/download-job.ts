import type { Audiosplit, CompletedJob } from '@audiosplit/client';
import { CUT_SHAPES } from '@audiosplit/cuts/generated/cut-fields';
import { createCleanupStack } from '@audiosplit/engine/cleanup-stack';
import type { SplitSettings } from '../arguments.ts';
import { checkOutFolder, makeOutFolder, stagingName } from '../split/folders.ts';
import type { Manifest } from '../split/manifest.ts';
import { writeJob } from '../split/write-job.ts';

interface JobDownloadOptions {
  readonly folder: string;
  readonly force: boolean;
  readonly signal: AbortSignal;
}

/** Waits for a job that still runs. Segments whose download broke off earlier are taken up. */
export async function downloadJob(
  client: Audiosplit,
  jobId: string,
  { folder, force, signal }: JobDownloadOptions,
): Promise<Manifest> {
  await checkOutFolder(folder, force, stagingName(jobId));
  const job = await client.waitForJob(jobId, { signal });
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

/** What of a job says how it was cut. */
const CUT_FIELDS = ['splitMode', 'outputFormat', ...Object.keys(CUT_SHAPES)];

function requestOf(job: CompletedJob): SplitSettings {
  const fields = Object.entries(job).filter(([name]) => CUT_FIELDS.includes(name));
  return Object.fromEntries(fields) as SplitSettings;
}
