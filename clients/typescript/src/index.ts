export { type Audiosplit, type AudiosplitOptions, createAudiosplit } from './audiosplit.ts';
export {
  AudiosplitError,
  type ErrorCode,
  type FieldError,
  type RateLimit,
  type ResponseInfo,
} from './error.ts';
export type {
  Body as UploadBody,
  DownloadOptions,
  Files,
  OpenedSegment,
  OpenOptions,
  TransferOptions,
  UploadOptions,
} from './files.ts';
export {
  type Follower,
  type FollowOptions,
  type JobEvent,
  JobFailedError,
  pauseBeforePoll,
  type WaitOptions,
} from './follow.ts';
export { OUTPUT_FORMATS, SPLIT_BOUNDS } from './generated/limits.ts';
export type { Operations } from './generated/operations.ts';
export type { components, operations, webhooks } from './generated/schema.ts';
export { SPEECH_CUTS } from './generated/speech-cuts.ts';
export { parseLengthSeconds, parseTimeSeconds } from './lengths.ts';
export type { Answer, Body, Query, Row } from './operation-types.ts';
export type { CallOptions, Fetch, Secret } from './request.ts';
export type { Retry, RetryPolicy } from './retry.ts';
export { stitch } from './stitch.ts';
export type { SpokenLine, TranscriptAnswer, TranscriptLine } from './transcripts.ts';
export type * from './types.ts';
export { type TranscriptFormat, writeTranscript } from './write-transcript.ts';
