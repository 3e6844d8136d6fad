/** The reports of splitters about a divided job. */
import { type ClaimPartResponse, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';

const SEGMENTS_PER_PART = 2;
export const SEGMENT_MS = 60_000n;

/** A division into this many parts, of two segments of a minute each. */
export const divisionInto = (count: number) => ({
  parts: Array.from({ length: count }, (_, part) => ({
    firstSegment: part * SEGMENTS_PER_PART,
    segmentCount: SEGMENTS_PER_PART,
    specJson: JSON.stringify({ part }),
  })),
  outputFormat: OutputFormat.MP3,
  sourceFileName: 'lecture.wav',
  sourceDurationMs: BigInt(count * SEGMENTS_PER_PART) * SEGMENT_MS,
  sourceSizeBytes: 1_000_000n,
});

/** The report of an attempt at a part. */
export const segmentsOf = (
  jobId: string,
  { part, fence, jobFence }: Pick<ClaimPartResponse, 'part' | 'fence' | 'jobFence'>,
) =>
  Array.from({ length: SEGMENTS_PER_PART }, (_, position) => {
    const index = part * SEGMENTS_PER_PART + position;
    return {
      index,
      objectKey: `jobs/${jobId}/${jobFence}/parts/${part}-${fence}/${index}.mp3`,
      fileName: `lecture-${index}.mp3`,
      contentType: 'audio/mpeg',
      startMs: BigInt(index) * SEGMENT_MS,
      durationMs: SEGMENT_MS,
      sizeBytes: 500n,
    };
  });
