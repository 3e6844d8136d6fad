import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConvertOptions } from '../convert/conversion.ts';
import { type ConvertResult, convertSource } from '../convert/convert.ts';
import { createSourceSpool } from '../convert/input/source-file.ts';
import { createCutRule } from '../cuts/create-cut-rule.ts';
import type { Cut } from '../cuts/cut.ts';
import { resolveFfmpegPath } from '../ffmpeg/binary.ts';
import type { FinishedSegment } from '../media.ts';
import { UNBOUNDED_ROOM } from '../output/scratch-room.ts';
import { createProgress } from '../progress.ts';
import { findSandbox } from '../sandbox/find-sandbox.ts';
import { sniff } from '../sniff/sniff.ts';
import type { LocalFile } from '../source/local-file.ts';

type Asked = 'outputFormat' | 'encoding' | 'preset' | 'gainDb' | 'tagsOf' | 'resumeAt';

type Settings = Partial<Pick<ConvertOptions, Asked>> & {
  readonly cut: Cut;
  readonly file?: LocalFile;
};

export interface ConversionRun extends AsyncDisposable {
  readonly segments: readonly FinishedSegment[];
  readonly result: ConvertResult;
}

/** Decodes a source in memory and encodes it in segments, without trying to copy it. */
export async function runConversion(
  source: Uint8Array,
  { cut, file, outputFormat, ...asked }: Settings,
): Promise<ConversionRun> {
  const ffmpegPath = await resolveFfmpegPath(process.env.FFMPEG_PATH);
  const outputDir = await mkdtemp(join(tmpdir(), 'audiosplit-conversion-'));
  await using cleanup = new AsyncDisposableStack();
  cleanup.defer(() => rm(outputDir, { recursive: true, force: true }));
  const workDir = join(outputDir, '.work');
  await mkdir(workDir);
  const stopped = new AbortController();
  const stop = (reason: unknown): void => stopped.abort(reason);
  await using spool = createSourceSpool(join(workDir, 'source'));
  const segments: FinishedSegment[] = [];
  const result = await convertSource({
    runtime: { ffmpegPath, sandbox: await findSandbox(ffmpegPath), workDir, signal: stopped.signal, stop },
    incoming: {
      sniffed: sniff(source),
      bytes: spool.tee(inOneChunk(source)),
      isUntouched: true,
      spool,
      sizeBytes: source.length,
      file,
    },
    cut: createCutRule(cut),
    outputFormat,
    resumeAt: undefined,
    ...asked,
    maxSourceDurationMs: undefined,
    scratchRoom: UNBOUNDED_ROOM,
    outputDir,
    progress: createProgress(() => undefined),
    onSegment: async (segment) => {
      segments.push(segment);
    },
    stop,
  });
  const owned = cleanup.move();
  return { segments, result, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function* inOneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
