import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CompletedJob, Segment } from '@audiosplit/client';
import type { SplitSettings } from '../arguments.ts';
import type { DownloadedSegment } from './download-segment.ts';

/** The last file to appear: where it is, the segments are there. */
export const MANIFEST_FILE = 'manifest.json';

/** The content of the folder, for programs. */
export interface Manifest {
  /** The path or URL as it was given; `-` for standard input. */
  readonly source: string;
  readonly request: SplitSettings;
  readonly outputFormat: CompletedJob['outputFormat'];
  /** Seconds, rounded. */
  readonly sourceDuration: CompletedJob['sourceDuration'];
  /** The measured and applied loudness, if normalisation was requested. */
  readonly loudness?: CompletedJob['loudness'];
  readonly segments: readonly ManifestSegment[];
}

/** A segment of the job, without its link. */
interface ManifestSegment extends Omit<Segment, 'downloadUrl' | 'expiresAt' | 'fileName'> {
  /** Name of the file beside the manifest. */
  readonly file: string;
  /** Of the file's bytes, in hexadecimal. */
  readonly sha256: string;
}

export function createManifest(
  source: string,
  request: SplitSettings,
  job: CompletedJob,
  downloaded: readonly DownloadedSegment[],
): Manifest {
  return {
    source,
    request,
    outputFormat: job.outputFormat,
    sourceDuration: job.sourceDuration,
    ...(job.loudness === undefined ? {} : { loudness: job.loudness }),
    segments: job.segments.map(
      ({ index, downloadUrl: _, expiresAt: __, fileName: ___, ...fields }, position) => {
        const written = downloaded[position];
        if (written === undefined) throw new Error(`segment ${index} was not downloaded`);
        return { index, file: written.file, ...fields, sha256: written.sha256 };
      },
    ),
  };
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
}
