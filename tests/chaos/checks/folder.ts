/** Checks a job's folder in its caller's bucket: one whole set, or nothing. */
import { createHash } from 'node:crypto';
import type { FolderContent } from '@audiosplit/chassis/testing/s3-folder';

interface ExpectedSet {
  readonly segments: readonly { readonly fileName: string; readonly location?: string | undefined }[];
  /** The SHA-256 of each segment of a job without faults. */
  readonly reference: readonly string[];
}

const MANIFEST = 'manifest.json';

/** Without a set, the folder must be empty. */
export function flawsOfFolder({ objects, unfinished }: FolderContent, set?: ExpectedSet): string[] {
  const { segments, reference } = set ?? { segments: [], reference: [] };
  const names = set === undefined ? [] : [...segments.map(({ fileName }) => fileName), MANIFEST];
  const missing = names.filter((name) => !objects.has(name));
  const others = [...objects.keys()].filter((name) => !names.includes(name));
  const different = segments.filter(({ fileName }, n) => {
    const stored = objects.get(fileName);
    return stored !== undefined && sha256(stored) !== reference[n];
  });
  return [
    ...missing.map((name) => `${name} is not in its bucket`),
    ...others.map((name) => `${name} is left in its bucket`),
    ...unfinished.map((key) => `${key} is begun in its bucket, and not complete`),
    ...different.map(({ fileName }) => `${fileName} in its bucket differs from that of a job without faults`),
    ...flawsOfManifest(objects.get(MANIFEST)?.toString(), segments),
  ];
}

function flawsOfManifest(text: string | undefined, segments: ExpectedSet['segments']): string[] {
  if (text === undefined || segments.length === 0) return [];
  const manifest = JSON.parse(text) as Pick<ExpectedSet, 'segments'>;
  const locationsOf = (each: ExpectedSet['segments']) => each.map(({ location }) => location).join('\n');
  if (locationsOf(manifest.segments) === locationsOf(segments)) return [];
  return [`its ${MANIFEST} lists other segments than the job`];
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
