/** Splits audio on this machine. Anything that is not exported here may change with any release. */
export type { CutRequest, SegmentEnd, SplitMode } from '@audiosplit/cuts/cut-request';
export { type FieldViolation, InvalidCutsError } from '@audiosplit/cuts/invalid-cuts';
export { OUTPUT_FORMATS, type OutputFormat } from '@audiosplit/cuts/output-formats';
export type { Cuts } from '@audiosplit/cuts/read-cuts';
export { FileExistsError } from './local/file-exists-error.ts';
export type { Source } from './local/open-source.ts';
export { type Plan, plan } from './local/plan.ts';
export type { RunOptions, Summary } from './local/run-engine.ts';
export type { PlannedSegment, WrittenSegment } from './local/segment.ts';
export { type SplitOptions, split } from './local/split.ts';
export { MediaError, type MediaFailure } from './media-error.ts';
export { SetupError } from './setup-error.ts';
