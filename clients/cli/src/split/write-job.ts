import type { Audiosplit, CompletedJob } from '@audiosplit/client';
import type { SplitSettings } from '../arguments.ts';
import { downloadSegments } from './download-segments.ts';
import { openStaging } from './folders.ts';
import { createManifest, MANIFEST_FILE, type Manifest, writeManifest } from './manifest.ts';

interface WriteOptions {
  readonly folder: string;
  /** As the manifest names it. */
  readonly source: string;
  readonly request: SplitSettings;
  /** Whether downloaded bytes are kept if the download is interrupted. */
  readonly isResumable: boolean;
  readonly signal: AbortSignal;
  readonly onBytes: (receivedBytes: number) => void;
}

/** Downloads all segments. Files appear in the folder when all of them are complete, and the manifest last. */
export async function writeJob(
  client: Audiosplit,
  job: CompletedJob,
  { folder, source, request, isResumable, signal, onBytes }: WriteOptions,
): Promise<Manifest> {
  await using staging = await openStaging(folder, job.id, isResumable);
  const downloaded = await downloadSegments(client, job.segments, { folder: staging.path, signal, onBytes });
  const manifest = createManifest(source, request, job, downloaded);
  await writeManifest(staging.path, manifest);
  await staging.settle([...downloaded.map(({ file }) => file), MANIFEST_FILE]);
  return manifest;
}
