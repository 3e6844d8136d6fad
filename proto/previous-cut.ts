/**
 * The fields that hold the cut in messages of releases without the message Cut. They are written beside it and read where
 * it is missing, until the release after the one that added it; then this file goes.
 */
import { type Cut, CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { SplitMode } from '@audiosplit/proto/jobs/v1/jobs';
import { create } from '@bufbuild/protobuf';

interface CutHolder {
  readonly cut?: Cut | undefined;
  readonly segmentDurationSeconds?: number | undefined;
  readonly maxFileSizeBytes?: bigint | undefined;
}

export function readCut({ cut, segmentDurationSeconds, maxFileSizeBytes }: CutHolder): Cut | undefined {
  if (cut !== undefined) return cut;
  if (segmentDurationSeconds !== undefined)
    return create(CutSchema, { mode: { case: 'duration', value: { segmentDurationSeconds } } });
  if (maxFileSizeBytes === undefined) return undefined;
  const value = { maxFileSizeBytes: Number(maxFileSizeBytes) };
  return create(CutSchema, { mode: { case: 'fileSize', value } });
}

/** Without a mode for one that those releases do not know. */
export function toPreviousCut({ mode }: Cut) {
  switch (mode.case) {
    case 'duration':
      return {
        mode: SplitMode.DURATION,
        segmentDurationSeconds: mode.value.segmentDurationSeconds,
      };
    case 'fileSize':
      return { mode: SplitMode.FILE_SIZE, maxFileSizeBytes: BigInt(mode.value.maxFileSizeBytes) };
    default:
      return { mode: SplitMode.UNSPECIFIED };
  }
}
