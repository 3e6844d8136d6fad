import { SEGMENT_ENDS } from '@audiosplit/proto/cut';
import { type Static, Type } from 'typebox';
import { oneOf, timestamp } from './fields.ts';

const START_TIME = 'Where it begins in the source, in seconds to the millisecond';

export const Segment = Type.Object(
  {
    index: Type.Integer({ description: 'Position, counted from 0.', examples: [0] }),
    downloadUrl: Type.Optional(
      Type.String({
        description: 'Signed link to the file; takes Range requests and HEAD. Left out of a dry run.',
        examples: [
          'https://audio.example.org/downloads/jobs/job_01jq8z5c7mexample0000000000/1/0.mp3?expires=1805103072&signature=c2lnbmF0dXJl',
        ],
      }),
    ),
    startTime: Type.Number({ description: `${START_TIME}.`, examples: [0] }),
    contentStart: Type.Optional(
      Type.Number({
        description:
          'The cut with which it begins, in every segment of a job with `overlap`: its file begins before.',
        examples: [412.36],
      }),
    ),
    endTime: Type.Number({
      description: 'Where it ends in the source, in seconds to the millisecond.',
      examples: [600],
    }),
    duration: Type.Integer({ description: 'Seconds, rounded; at least 1.', examples: [600] }),
    cut: Type.Optional(
      oneOf(
        [...SEGMENT_ENDS],
        'Why the segment ends there: a number or a cap (`exact`), a silence, the quietest spot, a chapter, a range, or ' +
          'the end of the source or of `trim`. Absent if an earlier version of the service made the segment.',
      ),
    ),
    location: Type.Optional(
      Type.String({
        description: 'Where it lies in the bucket of the destination.',
        examples: ['s3://podcast-audio/segments/job_01jq8z5c7mexample0000000000/episode-7-0.mp3'],
      }),
    ),
    title: Type.Optional(
      Type.String({
        description: 'Of the chapter or the range, with its number where that was divided.',
        examples: ['The interview (1/2)'],
      }),
    ),
    fileName: Type.String({
      description: 'Of the file, and of its entry in the archive.',
      examples: ['episode-7-0.mp3'],
    }),
    size: Type.Integer({ description: 'Bytes.', examples: [9_600_000] }),
    sizeIsEstimate: Type.Optional(
      Type.Boolean({ description: 'Of a dry run: encoding alone would tell the size.' }),
    ),
    expiresAt: Type.Optional(
      timestamp(
        'When the link ends; reading the job gives a fresh one. Left out of a dry run.',
        '2027-03-15T09:31:12.000Z',
      ),
    ),
  },
  { $id: 'Segment' },
);
export type Segment = Static<typeof Segment>;
