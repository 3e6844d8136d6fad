import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SEGMENTS } from '../../cuts/cut.ts';
import type { FinishedSegment } from '../../media.ts';
import { MediaError } from '../../media-error.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import { createSegmentFile, createUnwrittenSegment, type SegmentFile } from './segment-file.ts';

interface SegmentFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly sampleRateHz: number;
}

/**
 * The numbered segment files of one split, announced in order, each once it is complete. While one is closed
 * and handed out, the next is already being written, but it is not closed before that has ended. Disposing
 * waits for a segment being handed out and removes a file left open by a failure.
 *
 * Segments that the cut does not select are counted, not written. After the last selected one `finish` throws
 * LastSegmentReached, which ends the walk over the source.
 */
export interface SegmentSequence extends AsyncDisposable {
  /** The number of finished segments, which is the index of the one being written. */
  readonly finishedCount: number;
  /** The samples of the finished segments, which is where the one being written starts. */
  readonly finishedSampleCount: number;
  /** Throws TOO_MANY_SEGMENTS at the limit. */
  open(): SegmentFile;
  /** Starts closing and handing out the open file; rejects if that failed for the previous one. */
  finish(sampleCount: number): Promise<void>;
  /** Waits for the last segment to be handed out. */
  result(sourceSizeBytes: number): Promise<CopyResult>;
}

type SequenceOptions = Pick<CopyOptions, 'cut' | 'outputDir' | 'signal' | 'onSegment' | 'sizesOnly'>;

/** All selected segments have been handed out. */
export class LastSegmentReached extends Error {
  override readonly name = 'LastSegmentReached';
}

export function createSegmentSequence(options: SequenceOptions, format: SegmentFormat): SegmentSequence {
  const { maxSegmentBytes: limitBytes, choice } = options.cut;
  const isWanted = (index: number): boolean => choice === undefined || choice.isWanted(index);
  let wantedCount = 0;
  let current: SegmentFile | undefined;
  let finishedCount = 0;
  let finishedSampleCount = 0;
  let handedOut: Promise<void> = Promise.resolve();

  async function handOut(file: SegmentFile, segment: FinishedSegment): Promise<void> {
    try {
      await file.close();
      if (!isWanted(segment.index)) return;
      options.signal.throwIfAborted();
    } catch (error) {
      await rm(file.path, { force: true });
      throw error;
    }
    await options.onSegment(segment);
  }

  return {
    get finishedCount() {
      return finishedCount;
    },
    get finishedSampleCount() {
      return finishedSampleCount;
    },
    open() {
      if (isWanted(finishedCount)) wantedCount += 1;
      if (wantedCount > MAX_SEGMENTS) {
        throw new MediaError(
          'TOO_MANY_SEGMENTS',
          `The source would give more than ${MAX_SEGMENTS} segments.`,
        );
      }
      options.signal.throwIfAborted();
      if (options.sizesOnly === true || !isWanted(finishedCount)) {
        current = createUnwrittenSegment();
        return current;
      }
      const name = `segment-${String(finishedCount).padStart(5, '0')}.${format.extension}`;
      current = createSegmentFile(join(options.outputDir, name));
      return current;
    },
    async finish(sampleCount) {
      if (current === undefined) throw new Error('no segment is open');
      if (current.sizeBytes > limitBytes && isWanted(finishedCount)) {
        throw new MediaError('INTERNAL_ERROR', 'A segment came out larger than the maximum file size.');
      }
      const { path, sizeBytes } = current;
      const segment: FinishedSegment = {
        index: finishedCount,
        path,
        extension: format.extension,
        contentType: format.contentType,
        startSample: finishedSampleCount,
        sampleCount,
        sampleRateHz: format.sampleRateHz,
        sizeBytes,
      };
      await handedOut;
      handedOut = handOut(current, segment);
      // Marked as handled: it is awaited at the end of the next segment.
      handedOut.catch(() => undefined);
      current = undefined;
      if (finishedCount === choice?.lastIndex) {
        await handedOut;
        throw new LastSegmentReached('all chosen segments are there');
      }
      finishedCount += 1;
      finishedSampleCount += sampleCount;
    },
    result(sourceSizeBytes) {
      const result = handedOut.then(() => ({
        segmentCount: finishedCount,
        sourceSampleCount: finishedSampleCount,
        sourceSampleRateHz: format.sampleRateHz,
        sourceSizeBytes,
      }));
      // Marked as handled: disposal may come before the result is awaited.
      result.catch(() => undefined);
      return result;
    },
    async [Symbol.asyncDispose]() {
      await handedOut.catch(() => undefined);
      if (current === undefined) return;
      const abandoned = current;
      current = undefined;
      await abandoned.abandon().catch(() => undefined);
      await rm(abandoned.path, { force: true });
    },
  };
}
