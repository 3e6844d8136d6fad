/**
 * The entrance of the splitting engine: one source in, segments out.
 *
 * The source is recognised by its content. Where it is to keep its format it is split without decoding
 * (`copy/`); all else is decoded and encoded again (`convert/`). The copy route hands out segments while
 * the source is still coming in. That copying is impossible may turn out late (a change of rate in the last
 * minute): then the convert route goes on from the sample where the last copied segment ended, and nothing that was
 * handed out is ever taken back or replaced. It needs the source from its beginning: from the caller, if it can
 * give the source again, else from a copy that is kept in the working folder for as long as that may happen. A source
 * that lies on this machine is read from where it is, as often as needed.
 *
 * Failures are `MediaError`s; an abort rejects with the signal's reason, and an error of the source or of
 * `onSegment` comes through as it is. In every case all child processes have ended and the scratch folder is
 * empty but for segments that were handed out.
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ConvertResult, convertSource } from './convert/convert.ts';
import type { IncomingSource } from './convert/input/receive.ts';
import { createSourceSpool } from './convert/input/source-file.ts';
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
import { accessSource, type SourceAccess } from './source/source-access.ts';
import { joined, readHead } from './source/source-head.ts';

type PlainSplitOptions = Omit<SplitOptions, 'cut'> & { readonly cut: Cut };

type ResumePoint = { readonly index: number; readonly startSample: number; readonly sampleRateHz: number };

/** Splits one source; see `SplitOptions` for what goes in and `MediaFailure` for how it may end. */
export async function splitAudio(options: SplitOptions): Promise<SplitResult> {
  options.signal.throwIfAborted();
  const workDir = join(options.scratchDir, '.work');
  await mkdir(workDir);
  const stopped = new AbortController();
  const signal = AbortSignal.any([options.signal, stopped.signal]);
  const access = accessSource(options);
  const source = openSource(access.chunks, signal);
  // Kept apart from other errors, which may follow from it and be thrown first.
  let attack: unknown;
  const stop = (reason: unknown): void => {
    if (isAttack(reason)) attack ??= reason;
    stopped.abort(reason);
  };
  try {
    const { cut } = options;
    const runtime = runtimeOf(options, { workDir, signal }, stop);
    const bounded = {
      ...options,
      onSegment: withinOutputLimit(createOutputLimit(options.maxOutputBytes), options.onSegment),
    };
    const result =
      cut.mode === 'planned'
        ? await splitPlanned({ ...bounded, request: cut.request }, runtime, access, source)
        : await split({ ...bounded, cut }, { workDir, signal }, access, source, stop);
    if (attack !== undefined) throw attack;
    if (result.parts === undefined) createProgress(options.onProgress).span(0, 1)(1, 1);
    return result;
  } catch (error) {
    stopped.abort(error);
    // Also where the job was cancelled meanwhile: its owner cannot hide an attack by that.
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
  { workDir, signal }: Pick<FfmpegRuntime, 'workDir' | 'signal'>,
  access: SourceAccess,
  source: AsyncGenerator<Uint8Array>,
  stop: (reason: unknown) => void,
): Promise<SplitResult> {
  const progress = createProgress(options.onProgress);
  if (options.part !== undefined) {
    const { scratchDir: outputDir, scratchRoom = UNBOUNDED_ROOM, onSegment } = options;
    const runtime = runtimeOf(options, { workDir, signal }, stop);
    const partOptions = { runtime, outputDir, scratchRoom, onSegment, stop, progress };
    return await convertPart(partOptions, options.part, source);
  }
  const head = await readHead(source, bytesToSniff);
  const sniffed = sniff(head);
  await using spool = createSourceSpool(join(workDir, 'source'));
  const bytes = spool.tee(joined(head, source));
  const route = copyRoute(sniffed, options);
  const reportCopied = progress.span(0, 0.99);
  const { file, reopen, sizeBytes, memory } = access;
  // Of what comes in, these may be wanted again by the splitter itself, once all of it is there.
  const isReadTwice = sniffed.container === 'mp4' || sniffed.container === 'caf';
  const isKept = reopen === undefined || (isReadTwice && file === undefined);
  if (!isKept && route !== undefined) spool.release();
  if (route !== undefined) {
    const { maxSegmentBytes } = createCutRule(options.cut);
    await options.scratchRoom?.reserve(copyRoomBytes(sizeBytes, maxSegmentBytes));
  }

  const incoming = { sniffed, bytes, spool, sizeBytes, file };
  if (route === undefined && mayDivide(incoming, options)) {
    const runtime = runtimeOf(options, { workDir, signal }, stop);
    const outcome = await divideSource(runtime, incoming, options, { isKept, progress, stop });
    switch (outcome.kind) {
      case 'divided':
        return outcome.result;
      case 'small':
        return await convert(
          options,
          { workDir, signal },
          { ...incoming, bytes: outcome.bytes, isUntouched: true },
          undefined,
          progress,
          stop,
        );
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
  return await convert(
    options,
    { workDir, signal },
    { ...incoming, isUntouched: true },
    undefined,
    progress,
    stop,
  );

  async function convertAfterReading(resumeAt: ResumePoint | undefined): Promise<SplitResult> {
    if (isKept) {
      const rest = { ...incoming, isUntouched: false };
      return await convert(options, { workDir, signal }, rest, resumeAt, progress, stop);
    }
    await source.return(undefined).catch(() => undefined);
    return await convertAnew(options, { workDir, signal }, access, sniffed, resumeAt, progress, stop);
  }
}

function runtimeOf(
  { ffmpegPath, sandbox }: SplitOptions,
  { workDir, signal }: Pick<FfmpegRuntime, 'workDir' | 'signal'>,
  stop: FfmpegRuntime['stop'],
): FfmpegRuntime {
  return { ffmpegPath, sandbox, workDir, signal, stop };
}

/** From the source's first byte on, given once more. */
async function convertAnew(
  options: PlainSplitOptions,
  { workDir, signal }: Pick<FfmpegRuntime, 'workDir' | 'signal'>,
  { reopen, sizeBytes }: SourceAccess,
  sniffed: SniffedSource,
  resumeAt: ResumePoint | undefined,
  progress: Progress,
  stop: (reason: unknown) => void,
): Promise<SplitResult> {
  if (reopen === undefined) throw new Error('the source cannot be had again');
  const source = openSource(reopen(), signal);
  try {
    await using spool = createSourceSpool(join(workDir, 'source-again'));
    const incoming = { sniffed, bytes: spool.tee(source), isUntouched: false, spool, sizeBytes };
    return await convert(options, { workDir, signal }, incoming, resumeAt, progress, stop);
  } finally {
    await source.return(undefined).catch(() => undefined);
  }
}

async function convert(
  options: PlainSplitOptions,
  { workDir, signal }: Pick<FfmpegRuntime, 'workDir' | 'signal'>,
  incoming: IncomingSource,
  resumeAt: ResumePoint | undefined,
  progress: Progress,
  stop: (reason: unknown) => void,
): Promise<SplitResult> {
  const converted = await convertSource({
    runtime: runtimeOf(options, { workDir, signal }, stop),
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
    stop,
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

/** undefined: the source was not touched, as copying is out of the question. */
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
    // A segment before that may have failed to be handed out.
    signal.throwIfAborted();
    return { kind: 'declined', resumeAt };
  }
}

/**
 * The source's chunks until `signal` is aborted, also while a chunk is awaited: a source that has stalled
 * must not hold up the end of the job. Ending early closes the source.
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

/** The same chunks for a reader whose giving up must not close them: another one reads on. */
function keptOpen(bytes: AsyncGenerator<Uint8Array>): AsyncIterable<Uint8Array> {
  return { [Symbol.asyncIterator]: () => ({ next: () => bytes.next() }) };
}

/** What the encoders say is for the log, not for the caller. */
function publicError(error: unknown): unknown {
  if (!(error instanceof FfmpegError)) return error;
  return new MediaError('INTERNAL_ERROR', 'The splitting engine failed.', { cause: error });
}
