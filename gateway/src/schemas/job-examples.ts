/**
 * Completed jobs as examples for the API description: one is cut at chapters, one at silences. No mode has both titles and an
 * overlap, so only two jobs together show every field of a segment.
 */
import { LINK } from './invoice-examples.ts';

export const JOB = 'job_01jq8z5c7mexample0000000000';
export const SHOWN_SOURCE = 'https://example.org/audio/episode-7.mp3';
export const CREATED = '2027-03-14T09:30:00.000Z';
export const FINISHED = '2027-03-14T09:31:12.000Z';

const EXPIRES = '2027-03-15T09:31:12.000Z';
const FOLDER = 's3://podcast-audio/incoming/segments';

const common = { id: JOB, status: 'completed', sourceUrl: SHOWN_SOURCE };
const outcome = {
  outputFormat: 'mp3',
  sourceFileName: 'episode-7.mp3',
  sourceDuration: 1_800,
  sourceSize: 28_802_482,
};
const times = { createdAt: CREATED, completedAt: FINISHED };

function linkTo(index: number): string {
  return `${LINK}/jobs/${JOB}/1/${index}.mp3?expires=1805103072&signature=c2lnbmF0dXJl`;
}

const chapterSegments = [
  {
    index: 0,
    downloadUrl: linkTo(0),
    startTime: 0,
    endTime: 750,
    duration: 750,
    cut: 'chapter',
    title: 'Welcome',
    fileName: '1 Welcome.mp3',
    size: 12_001_672,
    expiresAt: EXPIRES,
  },
  {
    index: 1,
    downloadUrl: linkTo(1),
    startTime: 750,
    endTime: 1271.42,
    duration: 521,
    cut: 'silence',
    title: 'The interview (1/2)',
    fileName: '2 The interview (1_2).mp3',
    size: 8_344_502,
    expiresAt: EXPIRES,
  },
  {
    index: 2,
    downloadUrl: linkTo(2),
    startTime: 1271.42,
    endTime: 1_800,
    duration: 529,
    cut: 'end',
    title: 'The interview (2/2)',
    fileName: '3 The interview (2_2).mp3',
    size: 8_459_062,
    expiresAt: EXPIRES,
  },
];

const silenceSegments = [
  {
    index: 0,
    downloadUrl: linkTo(0),
    startTime: 0,
    contentStart: 0,
    endTime: 412.36,
    duration: 412,
    cut: 'silence',
    location: `${FOLDER}/${JOB}/episode-7-0.mp3`,
    fileName: 'episode-7-0.mp3',
    size: 6_599_541,
    expiresAt: EXPIRES,
  },
  {
    index: 1,
    downloadUrl: linkTo(1),
    startTime: 411.36,
    contentStart: 412.36,
    endTime: 1_800,
    duration: 1_389,
    cut: 'end',
    location: `${FOLDER}/${JOB}/episode-7-1.mp3`,
    fileName: 'episode-7-1.mp3',
    size: 22_220_022,
    expiresAt: EXPIRES,
  },
];

/** By component. The first of each is the one that viewers show. */
export const JOB_EXAMPLES = {
  CompletedJob: [
    {
      ...common,
      splitMode: 'chapters',
      chapters: [
        { startTime: 0, title: 'Welcome' },
        { startTime: 750, title: 'The interview' },
      ],
      maxDuration: 900,
      snapToSilence: { window: 10 },
      fileName: '{number} {title}',
      ...outcome,
      segments: chapterSegments,
      metadata: { episode: 7 },
      ...times,
    },
    {
      ...common,
      splitMode: 'silence',
      silence: { threshold: 'auto', minSilence: 0.7, minDuration: 300 },
      overlap: 1,
      destination: { connection: 'archive', prefix: 'segments/' },
      ...outcome,
      segments: silenceSegments,
      ...times,
    },
  ],
  Segment: [chapterSegments[1], silenceSegments[1]],
} as const;
