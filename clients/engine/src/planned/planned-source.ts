/** The whole source in the working folder, which a plan reads as often as it needs. */
import { copyFile, link, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import type { IncomingSource } from '../convert/input/receive.ts';
import { selectAudioTrack } from '../convert/input/select-track.ts';
import { bytesOfFile } from '../convert/input/source-bytes.ts';
import { createSourceSpool, type SourceFile } from '../convert/input/source-file.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { Progress } from '../progress.ts';
import { bytesToSniff, type SniffedSource, sniff } from '../sniff/sniff.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import type { OpenedSource } from '../source/source-access.ts';
import { joined, readHead } from '../source/source-head.ts';
import { createSparseFile } from '../source/sparse-file.ts';

export interface PlannedSource {
  readonly sniffed: SniffedSource;
  readonly file: SourceFile;
  /** Of the received source; the file may be a part of it. */
  readonly receivedBytes: number;
  /** If the file has holes: fills them, for readers that do not fetch what they read. */
  readonly complete?: () => Promise<void>;
  /**
   * The frames of such a file are found by a walk from its beginning. Data after the last piece is not
   * fetched.
   */
  readonly isWalked?: true;
}

interface KeepOptions {
  readonly report: ReturnType<Progress['span']>;
  /** Whether a source that provides any part of itself is fetched only where it is read. */
  readonly isSparse: (sizeBytes: number, sniffed: SniffedSource) => boolean;
}

const NAME = 'planned-source';

/** Throws UNSUPPORTED_MEDIA. */
export async function keepSource(
  { workDir, signal }: Pick<FfmpegRuntime, 'workDir' | 'signal'>,
  { access, chunks }: OpenedSource,
  { report, isSparse }: KeepOptions,
): Promise<PlannedSource> {
  const path = join(workDir, NAME);
  if (access.file !== undefined) {
    // Checks that it is the intended file.
    const head = await headOf(access.file);
    const { sizeBytes, modifiedAtMs } = access.file;
    const isLinked = await linkOrCopy(access.file, path);
    const known = isLinked && modifiedAtMs !== undefined ? { modifiedAtMs } : {};
    return await openPlannedSource({ path, sizeBytes, ...known }, sniff(head));
  }
  let bytes = chunks;
  if (access.ranges !== undefined) {
    const iterator = chunks[Symbol.asyncIterator]();
    const head = await readHead(iterator, bytesToSniff);
    const sniffed = sniff(head);
    if (isSparse(access.ranges.sizeBytes, sniffed)) {
      const file = await createSparseFile({ path, ranges: access.ranges, signal });
      return { ...(await openPlannedSource(file, sniffed)), complete: file.complete };
    }
    bytes = joined(head, iterator);
  }
  await using spool = createSourceSpool(path);
  for await (const _ of spool.tee(bytes)) report(spool.sizeBytes, access.sizeBytes);
  const { sizeBytes } = await spool.finish('mp3');
  return await openPlannedSource({ path, sizeBytes });
}

/** A file of the working folder. Throws UNSUPPORTED_MEDIA. */
export async function openPlannedSource(
  { path, sizeBytes, ...rest }: Omit<LocalFile, 'sizeBytes'> & { readonly sizeBytes?: number },
  known?: SniffedSource,
): Promise<PlannedSource> {
  const size = sizeBytes ?? (await stat(path)).size;
  const sniffed = known ?? sniff(await headOf({ path, sizeBytes: size }));
  const { container } = sniffed;
  const file = { ...rest, path, name: basename(path), container, sizeBytes: size };
  return { sniffed, file, receivedBytes: size };
}

/** The same with only the named track. Throws NO_SUCH_TRACK. */
export async function withOneTrack(
  runtime: FfmpegRuntime,
  { sniffed, file, receivedBytes }: PlannedSource,
  track: number | string,
): Promise<PlannedSource> {
  const selected = await openPlannedSource(await selectAudioTrack(runtime, file, sniffed, track));
  return { ...selected, receivedBytes };
}

/** False if it was copied: the copy is newer. */
async function linkOrCopy(file: LocalFile, path: string): Promise<boolean> {
  try {
    await link(file.path, path);
    return true;
  } catch {
    await copyFile(file.path, path);
    // Checks that the file was not replaced meanwhile.
    await headOf(file);
    return false;
  }
}

async function headOf(file: LocalFile): Promise<Buffer> {
  const chunks = createLocalFileReader(file).chunks();
  try {
    return await readHead(chunks, bytesToSniff);
  } finally {
    await chunks.return(undefined);
  }
}

/** For the routes that take a streamed source, and may leave it before its end. */
export function incomingFrom(
  { sniffed, file }: PlannedSource,
  probed: ProbedSource,
): IncomingSource & AsyncDisposable {
  const { path, sizeBytes, absent } = file;
  const spool = createSourceSpool(path, file);
  const bytes = spool.tee(createLocalFileReader(file).chunks());
  return {
    sniffed,
    bytes,
    isUntouched: true,
    known: { probed, bytes: bytesOfFile(file) },
    spool,
    sizeBytes,
    file: { path, sizeBytes, ...(absent === undefined ? {} : { absent }) },
    // Closes the file.
    [Symbol.asyncDispose]: async () => void (await bytes.return(undefined)),
  };
}
