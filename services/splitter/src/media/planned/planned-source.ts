/** The whole source in the working folder, which a plan reads as often as it needs. */
import { copyFile, link, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { IncomingSource } from '../convert/input/receive.ts';
import { selectAudioTrack } from '../convert/input/select-track.ts';
import { createSourceSpool, type SourceFile, type SourceSpool } from '../convert/input/source-file.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { Progress } from '../progress.ts';
import { bytesToSniff, type SniffedSource, sniff } from '../sniff/sniff.ts';
import { createLocalFileReader, type LocalFile } from '../source/local-file.ts';
import type { SourceAccess } from '../source/source-access.ts';
import { readHead } from '../source/source-head.ts';

export interface PlannedSource {
  readonly sniffed: SniffedSource;
  readonly file: SourceFile;
  /** Of what came in, of which the file may be a part. */
  readonly receivedBytes: number;
}

const NAME = 'planned-source';

/** `chunks` are those of `access`, ended by an abort. Throws UNSUPPORTED_MEDIA. */
export async function keepSource(
  workDir: string,
  access: SourceAccess,
  chunks: AsyncIterable<Uint8Array>,
  report: ReturnType<Progress['span']>,
): Promise<PlannedSource> {
  const path = join(workDir, NAME);
  if (access.file !== undefined) {
    // Checks that it is the file that was meant.
    const head = await headOf(access.file);
    await link(access.file.path, path).catch(() => copyFile(access.file?.path ?? '', path));
    return await openPlannedSource({ path, sizeBytes: access.file.sizeBytes }, sniff(head));
  }
  await using spool = createSourceSpool(path);
  for await (const _ of spool.tee(chunks)) report(spool.sizeBytes, access.sizeBytes);
  const { sizeBytes } = await spool.finish('mp3');
  return await openPlannedSource({ path, sizeBytes });
}

/** A file of the working folder. Throws UNSUPPORTED_MEDIA. */
export async function openPlannedSource(
  { path, sizeBytes }: { readonly path: string; readonly sizeBytes?: number },
  known?: SniffedSource,
): Promise<PlannedSource> {
  const size = sizeBytes ?? (await stat(path)).size;
  const sniffed = known ?? sniff(await headOf({ path, sizeBytes: size }));
  const { container } = sniffed;
  const file = { path, name: basename(path), container, sizeBytes: size };
  return { sniffed, file, receivedBytes: size };
}

/** The same with the named track alone. Throws NO_SUCH_TRACK. */
export async function withOneTrack(
  runtime: FfmpegRuntime,
  { sniffed, file, receivedBytes }: PlannedSource,
  track: number | string,
): Promise<PlannedSource> {
  const selected = await openPlannedSource(await selectAudioTrack(runtime, file, sniffed, track));
  return { ...selected, receivedBytes };
}

async function headOf(file: LocalFile): Promise<Buffer> {
  const chunks = createLocalFileReader(file).chunks();
  try {
    return await readHead(chunks, bytesToSniff);
  } finally {
    await chunks.return(undefined);
  }
}

/** For the routes that take a source that comes in. */
export function incomingFrom({ sniffed, file }: PlannedSource): IncomingSource {
  const spool = keptSpool(file);
  const { path, sizeBytes } = file;
  const bytes = spool.tee(createLocalFileReader(file).chunks());
  return { sniffed, bytes, isUntouched: true, spool, sizeBytes, file: { path, sizeBytes } };
}

/** Nothing is written: the file is there. */
function keptSpool(file: SourceFile): SourceSpool {
  let sizeBytes = 0;
  return {
    get sizeBytes() {
      return sizeBytes;
    },
    async *tee(source) {
      for await (const chunk of source) {
        sizeBytes += chunk.byteLength;
        yield chunk;
      }
    },
    release: () => undefined,
    finish: async () => file,
    [Symbol.asyncDispose]: async () => undefined,
  };
}
