import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SEGMENTS, MediaError } from '../media.ts';
import type { CopyOptions, CopyResult } from './copy-contract.ts';
import { maxSegmentBytes } from './cut-rules.ts';
import { createSegmentFile, type SegmentFile } from './segment-file.ts';

export interface SegmentFormat {
  readonly extension: string;
  readonly contentType: string;
  readonly sampleRateHz: number;
}

/**
 * The numbered segment files of one split: at most one is open at a time, each is announced once complete.
 * Disposing removes a file left open by a failure.
 */
export interface SegmentSequence extends AsyncDisposable {
  /** Segments finished so far: the index of the one being written. */
  readonly finishedCount: number;
  /** Samples of the finished segments: where the one being written starts. */
  readonly finishedSampleCount: number;
  /** Throws TOO_MANY_SEGMENTS at the limit. */
  open(): Promise<SegmentFile>;
  /** Closes the open file and hands it out. */
  finish(sampleCount: number): Promise<void>;
  result(sourceSizeBytes: number): CopyResult;
}

type SequenceOptions = Pick<CopyOptions, 'cut' | 'outputDir' | 'signal' | 'onSegment'>;

export function createSegmentSequence(options: SequenceOptions, format: SegmentFormat): SegmentSequence {
  const limitBytes = maxSegmentBytes(options.cut);
  let current: SegmentFile | undefined;
  let finishedCount = 0;
  let finishedSampleCount = 0;

  return {
    get finishedCount() {
      return finishedCount;
    },
    get finishedSampleCount() {
      return finishedSampleCount;
    },
    async open() {
      if (finishedCount >= MAX_SEGMENTS) {
        throw new MediaError(
          'TOO_MANY_SEGMENTS',
          `The source would give more than ${MAX_SEGMENTS} segments.`,
        );
      }
      options.signal.throwIfAborted();
      const name = `segment-${String(finishedCount).padStart(5, '0')}.${format.extension}`;
      current = await createSegmentFile(join(options.outputDir, name));
      return current;
    },
    async finish(sampleCount) {
      if (current === undefined) throw new Error('no segment is open');
      if (current.sizeBytes > limitBytes) {
        throw new MediaError('INTERNAL_ERROR', 'A segment came out larger than the maximum file size.');
      }
      const { path, sizeBytes } = current;
      await current.close();
      current = undefined;
      options.signal.throwIfAborted();
      await options.onSegment({
        index: finishedCount,
        path,
        extension: format.extension,
        contentType: format.contentType,
        startSample: finishedSampleCount,
        sampleCount,
        sampleRateHz: format.sampleRateHz,
        sizeBytes,
      });
      finishedCount += 1;
      finishedSampleCount += sampleCount;
    },
    result: (sourceSizeBytes) => ({
      segmentCount: finishedCount,
      sourceSampleCount: finishedSampleCount,
      sourceSampleRateHz: format.sampleRateHz,
      sourceSizeBytes,
    }),
    async [Symbol.asyncDispose]() {
      if (current === undefined) return;
      const abandoned = current;
      current = undefined;
      await abandoned.close().catch(() => undefined);
      await rm(abandoned.path, { force: true });
    },
  };
}
