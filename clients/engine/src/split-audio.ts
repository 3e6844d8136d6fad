/**
 * The entry point of the splitting engine: one source in, segments out.
 *
 * The source is recognised by its content. If it keeps its format it is split without decoding (`copy/`);
 * otherwise it is decoded and encoded again (`convert/`). The copy route hands out segments while the source
 * still arrives. It may find out late that copying is impossible, for example because the rate changes in the
 * last minute. The convert route then continues at the sample where the last copied segment ended; segments
 * already handed out are never withdrawn or replaced. It needs the source from the beginning: from the caller
 * if the caller can provide it again, otherwise from a copy in the working folder, which is kept as long as
 * this may happen. A source on this machine is read in place, as often as needed.
 *
 * Failures are `MediaError`s. An abort rejects with the signal's reason; an error of the source or of
 * `onSegment` is passed on unchanged. In every case all child processes have ended, and the scratch folder
 * contains only segments that were handed out.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConvertResult, convertSource } from './convert/convert.ts';
import type { IncomingSource } from './convert/input/receive.ts';
import { openSourceSpool } from './convert/input/source-file.ts';
import { CopyNotPossibleError } from './copy/copy-splitter.ts';
import { abortableChunks } from './copy/source/abortable-chunks.ts';
import { type CopyRoute, copyRoute } from './copy-route.ts';
import { createCutRule } from './cuts/create-cut-rule.ts';
import type { Cut } from './cuts/cut.ts';
import { FfmpegError, type FfmpegRuntime } from './ffmpeg/run.ts';
import type { FinishedSegment, SplitOptions, SplitResult } from './media.ts';
import { isAttack, MediaError } from './media-error.ts';
import { createOutputLimit, withinOutputLimit } from './output/output-limit.ts';
import { copyRoomBytes, UNBOUNDED_ROOM } from './output/scratch-room.ts';
import { convertPart } from './parts/convert-part.ts';
import { divideSource, mayDivide } from './parts/divide-source.ts';
import { splitPlanned } from './planned/split-planned.ts';
import { createProgress, type Progress } from './progress.ts';
import { bytesToSniff, type SniffedSource, sniff } from './sniff/sniff.ts';
import type { ChunkMemory, LocalFile } from './source/local-file.ts';
import { accessSource, type OpenedSource, type SourceAccess } from './source/source-access.ts';
import { joined, readHead } from './source/source-head.ts';

type PlainSplitOptions = Omit<SplitOptions, 'cut'> & { readonly cut: Cut };

interface ClosableSource extends OpenedSource {
  readonly chunks: AsyncGenerator<Uint8Array>;
}

type ResumePoint = { readonly index: number; readonly startSample: number; readonly sampleRateHz: number };

/** Splits one source. `SplitOptions` describes the input, `MediaFailure` the possible failures. */
export async function splitAudio(options: SplitOptions): Promise<SplitResult> {
  options.signal.throwIfAborted();
  const workDir = join(options.scratchDir, '.work');
  await mkdir(workDir);
  const stopped = new AbortController();
  const signal = AbortSignal.any([options.signal, stopped.signal]);
  const access = accessSource(options);
  const source = openSource(access.chunks, signal);
  // Stored separately from other errors, which may be consequences of it and be thrown first.
  let attack: unknown;
  const stop = (reason: unknown): void => {
    if (isAttack(reason)) attack ??= reason;
    stopped.abort(reason);
  };
  try {
    const { cut, ffmpegPath, sandbox } = options;
    const runtime = { ffmpegPath, sandbox, workDir, signal, stop };
    const opened = { access, chunks: source };
    const bounded = {
      ...options,
      onSegment: withinOutputLimit(createOutputLimit(options.maxOutputBytes), options.onSegment),
    };
    const result =
      cut.mode === 'planned'
        ? await splitPlanned({ ...bounded, request: cut.request }, runtime, opened)
        : await split({ ...bounded, cut }, runtime, opened);
    if (attack !== undefined) throw attack;
    if (result.parts === undefined) createProgress(options.onProgress).span(0, 1)(1, 1);
    return result;
  } catch (error) {
    stopped.abort(error);
    // This also applies if the job was cancelled meanwhile: its owner cannot hide an attack by cancelling.
    if (attack !== undefined) throw attack;
    if (options.signal.aborted) throw options.signal.reason;
    throw publicError(error);
  } finally {
    await source.return?.(undefined).catch(() => undefined);
    await rm(workDir, { recursive: true, force: true });
  }
}

async function split(
  options: PlainSplitOptions,
  runtime: FfmpegRuntime,
  { access, chunks }: ClosableSource,
): Promise<SplitResult> {
  const { signal, stop } = runtime;
  const progress = createProgress(options.onProgress);
  if (options.part !== undefined) {
    const { scratchDir: outputDir, scratchRoom = UNBOUNDED_ROOM, onSegment } = options;
    const partOptions = { runtime, outputDir, scratchRoom, onSegment, stop, progress };
    return await convertPart(partOptions, options.part, chunks);
  }
  const head = await readHead(chunks, bytesToSniff);
  const sniffed = sniff(head);
  await using spool = await openSourceSpool(join(runtime.workDir, 'source'), sniffed.container, access.file);
  const bytes = spool.tee(joined(head, chunks));
  const route = copyRoute(sniffed, options);
  const reportCopied = progress.span(0, 0.99);
  const { file, reopen, sizeBytes, memory } = access;
  // The splitter itself may read these again once everything has arrived.
  const isReadTwice = sniffed.container === 'mp4' || sniffed.container === 'caf';
  const isKept = reopen === undefined || (isReadTwice && file === undefined);
  if (!isKept && route !== undefined) spool.release();
  if (route !== undefined) {
    const { maxSegmentBytes } = createCutRule(options.cut);
    await options.scratchRoom?.reserve(copyRoomBytes(sizeBytes, maxSegmentBytes));
  }

  const incoming = { sniffed, bytes, spool, sizeBytes, file };
  if (route === undefined && mayDivide(incoming, options)) {
    const outcome = await divideSource(runtime, incoming, options, { isKept, progress, stop });
    switch (outcome.kind) {
      case 'divided':
        return outcome.result;
      case 'small':
        return await convert(options, runtime, {
          incoming: { ...incoming, bytes: outcome.bytes, isUntouched: true },
          progress,
        });
      case 'declined':
        return await convertAfterReading(undefined);
      default:
        return outcome satisfies never;
    }
  }

  const copied = await tryCopy(options, route, {
    bytes,
    signal,
    report: (doneBytes) => reportCopied(doneBytes, sizeBytes),
    onCommitted: spool.release,
    keptSource: async () => file ?? (await spool.finish(sniffed.container)),
    memory,
    stop,
  });
  if (copied?.kind === 'done') return copied.result;
  if (copied !== undefined) return await convertAfterReading(copied.resumeAt);
  return await convert(options, runtime, { incoming: { ...incoming, isUntouched: true }, progress });

  async function convertAfterReading(resumeAt: ResumePoint | undefined): Promise<SplitResult> {
    if (isKept) {
      const rest = { ...incoming, isUntouched: false };
      return await convert(options, runtime, { incoming: rest, progress, resumeAt });
    }
    await chunks.return(undefined).catch(() => undefined);
    return await convertAnew(options, runtime, { access, sniffed, progress, resumeAt });
  }
}

interface ConvertStep {
  readonly incoming: IncomingSource;
  readonly progress: Progress;
  /** Default: from the beginning. */
  readonly resumeAt?: ResumePoint | undefined;
}

interface ConvertAnewStep extends Omit<ConvertStep, 'incoming'> {
  readonly access: SourceAccess;
  readonly sniffed: SniffedSource;
}

/** The source again, from its first byte. */
async function convertAnew(
  options: PlainSplitOptions,
  runtime: FfmpegRuntime,
  { access, sniffed, progress, resumeAt }: ConvertAnewStep,
): Promise<SplitResult> {
  const { reopen, sizeBytes, file } = access;
  if (reopen === undefined) throw new Error('the source cannot be had again');
  const source = openSource(reopen(), runtime.signal);
  try {
    const path = join(runtime.workDir, 'source-again');
    await using spool = await openSourceSpool(path, sniffed.container, file);
    const incoming = { sniffed, bytes: spool.tee(source), isUntouched: false, spool, sizeBytes };
    return await convert(options, runtime, { incoming, progress, resumeAt });
  } finally {
    await source.return(undefined).catch(() => undefined);
  }
}

async function convert(
  options: PlainSplitOptions,
  runtime: FfmpegRuntime,
  { incoming, progress, resumeAt }: ConvertStep,
): Promise<SplitResult> {
  const converted = await convertSource({
    runtime,
    incoming,
    cut: createCutRule(options.cut),
    outputFormat: options.outputFormat,
    maxSourceDurationMs: options.maxSourceDurationMs,
    reserve: options.reserve,
    outputLimit: createOutputLimit(options.maxOutputBytes),
    scratchRoom: options.scratchRoom ?? UNBOUNDED_ROOM,
    resumeAt,
    outputDir: options.scratchDir,
    progress,
    onSegment: options.onSegment,
    stop: runtime.stop,
  });
  return splitResult(converted, incoming);
}

function splitResult(converted: ConvertResult, { file, spool }: IncomingSource): SplitResult {
  return { ...converted, sourceSizeBytes: file?.sizeBytes ?? spool.sizeBytes };
}

type CopyOutcome =
  | { readonly kind: 'done'; readonly result: SplitResult }
  | { readonly kind: 'declined'; readonly resumeAt: ResumePoint | undefined };

interface CopyAttempt {
  readonly bytes: AsyncGenerator<Uint8Array>;
  readonly signal: AbortSignal;
  readonly report: (doneBytes: number) => void;
  readonly onCommitted: () => void;
  readonly keptSource: () => Promise<LocalFile>;
  readonly memory: ChunkMemory | undefined;
  /** Aborts `signal`. */
  readonly stop: (reason: unknown) => void;
}

/** undefined: the source was not read, because copying is out of the question. */
async function tryCopy(
  options: PlainSplitOptions,
  route: CopyRoute | undefined,
  { bytes, signal, report, onCommitted, keptSource, memory, stop }: CopyAttempt,
): Promise<CopyOutcome | undefined> {
  if (route === undefined) return undefined;
  let resumeAt: ResumePoint | undefined;
  try {
    const { segmentCount, ...rest } = await route.splitter(keptOpen(bytes), {
      cut: createCutRule(options.cut),
      outputDir: options.scratchDir,
      signal,
      ...(options.maxSourceDurationMs === undefined
        ? {}
        : { maxSourceDurationMs: options.maxSourceDurationMs }),
      onSegment: async (segment: FinishedSegment) => {
        await options.onSegment(segment).catch((error: unknown) => {
          stop(error);
          throw error;
        });
        const { index, startSample, sampleCount, sampleRateHz } = segment;
        resumeAt = { index: index + 1, startSample: startSample + sampleCount, sampleRateHz };
      },
      onBytes: report,
      onCommitted,
      keptSource,
      ...(memory === undefined ? {} : { memory }),
    });
    return { kind: 'done', result: { ...rest, segmentCount, outputFormat: route.outputFormat } };
  } catch (error) {
    if (!(error instanceof CopyNotPossibleError)) throw error;
    // Handing out an earlier segment may have failed.
    signal.throwIfAborted();
    return { kind: 'declined', resumeAt };
  }
}

/**
 * The source's chunks until `signal` is aborted, even while waiting for a chunk: a stalled source must not
 * delay the end of the job. Ending early closes the source.
 */
async function* openSource(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = abortableChunks(source, signal);
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      if (chunk.byteLength > 0) yield chunk;
    }
  } finally {
    const closed = chunks.close().catch(() => undefined);
    if (!signal.aborted) await closed;
  }
}

/** The same chunks for a reader that must not close them when it stops, because another reader continues. */
function keptOpen(bytes: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) };
}

/** The encoders' messages are for the log, not for the caller. */
function publicError(error: unknown): unknown {
  if (!(error instanceof FfmpegError)) return error;
  return new MediaError('INTERNAL_ERROR', 'The splitting engine failed.', { cause: error });
}
