/**
 * The words of the public enums: as in REST, in stored rows, in metrics and in the console. Each word is a value of its
 * enum in camelCase (`mp3` is MP3), which enum-words.ts pairs. This file imports words alone, so that pages may import it.
 */
export { OUTPUT_FORMATS, type OutputFormat } from '@audiosplit/cuts/output-formats';

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What is tried in a bucket. */
export const BUCKET_ACTIONS = ['list', 'read', 'write', 'delete'] as const;
export type BucketAction = (typeof BUCKET_ACTIONS)[number];

/** Fields of a plan that an operator may override for an account, in display order. They are no enum. */
export const FIGURES = [
  'requestsPerMinute',
  'concurrentJobs',
  'monthlyMinutes',
  'maxFileSizeBytes',
  'pricePerMonthCents',
  'overageMillicentsPerMinute',
] as const;
export type Figure = (typeof FIGURES)[number];

/** Types of the notifications to callers. They are no enum. */
export const NOTIFICATION_TYPES = [
  'split.processing',
  'split.completed',
  'split.failed',
  'export.completed',
  'export.failed',
  'usage.threshold',
] as const;
export type NotificationType = (typeof NOTIFICATION_TYPES)[number];
