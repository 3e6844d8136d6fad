import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { HEADER_NAME, MAX_SOURCE_HEADER_BYTES, MAX_SOURCE_HEADERS } from '@audiosplit/proto/source-headers';
import { JOB_STATUSES } from '@audiosplit/proto/vocabulary';
import { type Static, Type } from 'typebox';
import type { JsonText } from '../http/input/json-text.ts';
import { destinationFields } from './destination.ts';
import {
  CLOSED,
  nullableTimestamp,
  oneOf,
  PATH_ID,
  pathId,
  timestamp,
  WEBHOOK_EXAMPLE,
  webUrl,
} from './fields.ts';
import { MAX_PAGE_SIZE, Pagination, pageQueryFields } from './pagination.ts';
import { PATTERNS } from './patterns.ts';
import { ref } from './ref.ts';
import { Segment } from './segment.ts';
import { cutFields, cutRequestFields, cutRowFields } from './split-modes.ts';
import { outputFormat } from './split-settings.ts';

export const MAX_METADATA_KEYS = 50;
export const MAX_METADATA_BYTES = 8 * 1024;

const status = oneOf([...JOB_STATUSES], 'Where the job stands.');
export const METADATA = {
  type: 'object',
  additionalProperties: true,
  maxProperties: MAX_METADATA_KEYS,
  description:
    `Whatever the caller wants to keep with the job; at most ${MAX_METADATA_BYTES} bytes as JSON without white space. ` +
    'It comes back as it was given, digit for digit. The character U+0000 and half a surrogate pair are refused.',
};
export const metadata = Type.Unsafe<JsonText>(METADATA);

export const JobParams = Type.Object(
  { jobId: pathId('job', 'The job.') },
  { notFoundReason: Reason.JOB_NOT_FOUND },
);

export const CreateJobBody = Type.Object(
  {
    sourceUrl: Type.String({
      minLength: 1,
      maxLength: 2_048,
      pattern: PATTERNS.sourceUrl,
      description:
        'Where the audio file is fetched: http or https, without user name and password. A link by which a file is shared ' +
        'in Google Drive, Dropbox or OneDrive stands for the file. `s3://<connection>/<key>` is an object in a bucket of the ' +
        'account: the name or the id of a connection, and its key below the prefix of the connection, without escapes.',
      examples: ['https://example.org/audio/episode-7.mp3'],
    }),
    sourceHeaders: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        maxProperties: MAX_SOURCE_HEADERS,
        propertyNames: { pattern: HEADER_NAME },
        additionalProperties: { type: 'string', pattern: PATTERNS.headerValue },
        description:
          `Headers with which the source is asked for, ${MAX_SOURCE_HEADER_BYTES} bytes at most: credentials, say. Not Host, Range, ` +
          'and what belongs to a connection. They are kept encrypted until the job ends and sent to the origin of ' +
          '`sourceUrl` alone, not to where it redirects.',
        examples: [{ Authorization: 'Bearer my-token' }],
      }),
    ),
    ...cutRequestFields,
    outputFormat: Type.Optional(outputFormat),
    ...destinationFields,
    webhookUrl: Type.Optional(webUrl("Where to be notified of the job's progress.", WEBHOOK_EXAMPLE)),
    metadata: Type.Optional(Type.Unsafe<Record<string, unknown>>(METADATA)),
  },
  CLOSED,
);
export type CreateJobBody = Static<typeof CreateJobBody>;

export const ListJobsQuery = Type.Object(
  {
    ...pageQueryFields,
    status: Type.Optional(status),
    sortBy: Type.Optional(
      Type.Enum(['createdAt', 'completedAt'], {
        type: 'string',
        default: 'createdAt',
        description: 'Order by this.',
      }),
    ),
    sortOrder: Type.Optional(
      Type.Enum(['asc', 'desc'], { type: 'string', default: 'desc', description: 'Oldest or newest first.' }),
    ),
    batchId: Type.Optional(
      Type.String({
        pattern: PATH_ID,
        description:
          'Only jobs of this batch, in the order of its sources or the reverse; `sortBy` has no effect.',
      }),
    ),
  },
  CLOSED,
);

const searchFields = {
  text: Type.String({
    maxLength: 200,
    description:
      "Each of its words is in the job's id, in the name of its source or in the source's address without the query, " +
      'whatever the case. A whole id finds its job however old it is.',
    examples: ['episode'],
  }),
  status: Type.Optional(status),
  pageToken: Type.Optional(
    Type.String({ maxLength: 100, description: '`nextPageToken` of the page before.' }),
  ),
};
export const SearchJobsQuery = Type.Object(
  {
    ...searchFields,
    text: { ...searchFields.text, minLength: 1 },
    canceled: Type.Optional(
      Type.Enum(['true', 'false'], {
        type: 'string',
        description: 'Of failed jobs: only those that were canceled, or only the others.',
      }),
    ),
    limit: pageQueryFields.limit,
  },
  CLOSED,
);
/** The console looks for canceled jobs without a text, too. */
export const SearchJobsInput = Type.Object(
  {
    ...searchFields,
    canceled: Type.Optional(Type.Boolean()),
    limit: Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE }),
  },
  CLOSED,
);

/** Every view of a job starts with this. */
const identity = {
  id: Type.String(),
  batchId: Type.Optional(Type.String({ description: 'Of the batch that it was created with.' })),
};
const requestFields = {
  ...cutFields,
  ...destinationFields,
  outputFormat: Type.Optional(outputFormat),
  webhookUrl: Type.Optional(Type.String()),
  metadata: Type.Optional(metadata),
};
const createdAt = timestamp('When the job was accepted.');
const sourceFileName = Type.Optional(
  Type.String({ description: 'Name of the source file, once the job has completed.' }),
);
const failedAt = Type.Optional(
  timestamp('When the job failed; left out where that was not kept yet. `completedAt` stays null.'),
);

/** In this order. A small source may be cut before any byte is reported. */
export const PROCESSING_PHASES = ['fetching', 'cutting', 'storing'] as const;
export type ProcessingPhase = (typeof PROCESSING_PHASES)[number];

export const JOB_ERROR_CODES = [
  'SOURCE_UNREACHABLE',
  'SOURCE_TIMEOUT',
  'SOURCE_FORBIDDEN',
  'FORBIDDEN_BY_STORE',
  'DESTINATION_UNREACHABLE',
  'UNSUPPORTED_MEDIA',
  'FILE_TOO_LARGE',
  'SEGMENT_LIMIT_UNREACHABLE',
  'TOO_MANY_SEGMENTS',
  'NO_SOUND',
  'NO_CHAPTERS',
  'RANGE_OUTSIDE_SOURCE',
  'TOO_MUCH_OVERLAP',
  'NO_SUCH_TRACK',
  'ENCODING_UNSUPPORTED',
  'QUOTA_EXCEEDED',
  'SPEND_LIMIT_REACHED',
  'OUTPUT_TOO_LARGE',
  'TIMED_OUT',
  'CANCELED',
  'INTERNAL_ERROR',
] as const;
export type JobErrorCode = (typeof JOB_ERROR_CODES)[number];

export const JobErrorBody = Type.Object({
  code: oneOf([...JOB_ERROR_CODES], 'Why the job failed.'),
  message: Type.String(),
});

const sourceUrl = Type.String({
  description: 'Where the source was fetched. Values of the query, which may be secrets, are hidden.',
  examples: ['https://example.org/audio/episode-7.mp3'],
});

const sourceHeaderNames = Type.Optional(
  Type.Array(Type.String(), { description: 'Names of `sourceHeaders`; their values are not shown.' }),
);

export const Fetching = Type.Object(
  {
    fetchedBytes: Type.Integer({ description: 'Number of bytes of the source fetched so far.' }),
    totalBytes: Type.Optional(
      Type.Integer({ description: 'Size of the source in bytes. Absent if its host does not state it.' }),
    ),
  },
  { description: 'While the source is being fetched.' },
);

export const QueuedJob = Type.Object(
  {
    ...identity,
    status: Type.Literal('queued'),
    phase: Type.Literal('waiting', { description: 'It waits for its turn.' }),
    sourceUrl,
    sourceHeaderNames,
    ...requestFields,
    createdAt,
  },
  { $id: 'QueuedJob' },
);
export type QueuedJob = Static<typeof QueuedJob>;

export const ProcessingJob = Type.Object(
  {
    ...identity,
    status: Type.Literal('processing'),
    progress: Type.Integer({ minimum: 0, maximum: 100, description: 'Per cent.' }),
    phase: oneOf([...PROCESSING_PHASES], 'What is done with the job.'),
    fetching: Type.Optional(Fetching),
    sourceUrl,
    sourceHeaderNames,
    ...cutFields,
    ...destinationFields,
    createdAt,
  },
  { $id: 'ProcessingJob' },
);
export type ProcessingJob = Static<typeof ProcessingJob>;

const loudness = Type.Optional(
  Type.Object(
    {
      measured: Type.Unsafe<number | null>({
        type: ['number', 'null'],
        description: 'LUFS of what was split; null where it is silent.',
      }),
      gain: Type.Number({ description: 'dB, the same for all segments.' }),
      truePeak: Type.Unsafe<number | null>({
        type: ['number', 'null'],
        description: 'dBTP behind the gain, before the encoder; null where it is silent.',
      }),
    },
    { description: 'What `encoding.loudness` has found and done.' },
  ),
);

export const CompletedJob = Type.Object(
  {
    ...identity,
    status: Type.Literal('completed'),
    sourceUrl,
    sourceHeaderNames,
    ...cutFields,
    ...destinationFields,
    outputFormat: Type.Optional(outputFormat),
    sourceFileName,
    sourceDuration: Type.Optional(Type.Integer({ description: 'Seconds, rounded.' })),
    sourceDurationIsEstimate: Type.Optional(
      Type.Boolean({
        description:
          '`true` where nothing behind the last segment was read, and the source does not say how long it is.',
      }),
    ),
    sourceSize: Type.Optional(Type.Integer({ description: 'Bytes.' })),
    segments: Type.Array(ref(Segment)),
    loudness,
    segmentsExpiredAt: Type.Optional(timestamp('When the segments were removed; `segments` is empty since.')),
    metadata: Type.Optional(metadata),
    createdAt,
    completedAt: timestamp('When the last segment was stored.'),
  },
  { $id: 'CompletedJob' },
);
export type CompletedJob = Static<typeof CompletedJob>;

export const FailedJob = Type.Object(
  {
    ...identity,
    status: Type.Literal('failed'),
    sourceUrl,
    sourceHeaderNames,
    ...requestFields,
    error: JobErrorBody,
    createdAt,
    completedAt: Type.Null(),
    failedAt,
  },
  { $id: 'FailedJob' },
);
export type FailedJob = Static<typeof FailedJob>;

export type Job = QueuedJob | ProcessingJob | CompletedJob | FailedJob;

export const JobRow = Type.Object(
  {
    ...identity,
    status,
    ...cutRowFields,
    outputFormat: Type.Optional(outputFormat),
    sourceFileName,
    segmentCount: Type.Unsafe<number | null>({
      type: ['integer', 'null'],
      description: 'Null until completed.',
    }),
    createdAt,
    completedAt: nullableTimestamp('Null until completed.'),
    failedAt,
    error: Type.Optional(JobErrorBody),
  },
  { $id: 'JobRow' },
);
export type JobRow = Static<typeof JobRow>;

export const JobList = Type.Object(
  { data: Type.Array(ref(JobRow)), pagination: ref(Pagination) },
  { $id: 'JobList' },
);

export const FoundJobs = Type.Object(
  {
    data: Type.Array(ref(JobRow)),
    nextPageToken: Type.Optional(
      Type.String({ description: 'Where to go on; left out where all older jobs have been looked at.' }),
    ),
    lookedBackTo: Type.Optional(
      timestamp(
        'Where the page is not full, as a call looks at 20,000 jobs: when the last one that it looked at was created.',
      ),
    ),
  },
  { $id: 'FoundJobs' },
);
