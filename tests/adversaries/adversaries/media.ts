/** Small files that require much work, memory or disk space. */
import type { Body } from '@audiosplit/client';
import { startSources } from '../../harness/servers/sources.ts';
import type { Adversary } from '../adversary.ts';
import { openAccounts, type Target } from '../target.ts';
import { type HostileFile, makeHostileFile } from './hostile-files.ts';
import { postJobs, splitRequest } from './jobs.ts';

const ACCOUNTS = 2;
/** As many as an account on Starter may run concurrently. */
const JOBS_OF_ACCOUNT = 5;

interface HostileSplit {
  readonly file: HostileFile;
  readonly title: string;
  readonly bound: string;
  readonly request: (sourceUrl: string) => Body<'createSplit'>;
}

const SPLITS: readonly HostileSplit[] = [
  {
    file: 'silence.flac',
    title: 'three minutes of silence in 9 kB of flac, to wav',
    bound: 'maxOutputBytes, SCRATCH_LIMIT_BYTES',
    request: (url) => splitRequest(url, { outputFormat: 'wav' }),
  },
  {
    file: 'long.flac',
    title: 'conversions of two hours each, to mp3',
    bound: 'accounts take turns at the cores',
    request: (url) => splitRequest(url, { outputFormat: 'mp3' }),
  },
  {
    file: 'claims-30h.mp3',
    title: 'an mp3 that claims 30 hours',
    bound: 'a length is what the bytes hold',
    request: (url) => splitRequest(url, { outputFormat: 'wav' }),
  },
  {
    file: 'claims-4g.wav',
    title: 'a wav whose header claims 4 GiB',
    bound: 'a length is what the bytes hold',
    request: (url) => splitRequest(url, { outputFormat: 'flac' }),
  },
  {
    file: 'chapters.mp3',
    title: '10,000 chapters',
    bound: '9,999 segments',
    request: (sourceUrl) => ({ sourceUrl, splitMode: 'chapters' }),
  },
  {
    file: 'streams.mp4',
    title: '200 streams',
    bound: 'one track is decoded',
    request: (url) => splitRequest(url, { outputFormat: 'mp3' }),
  },
  {
    file: 'cover.mp3',
    title: 'a cover picture of 50 MB',
    bound: 'a tag of 16 MiB at most',
    request: (url) => splitRequest(url),
  },
  {
    file: 'kept-cover.mp3',
    title: 'a cover picture of 1 MB in each segment of a second',
    bound: 'maxOutputBytes: a cover counts in each segment',
    request: (sourceUrl) => ({ sourceUrl, splitMode: 'duration', segmentDuration: 1 }),
  },
];

async function playMedia(target: Target, { file, request }: HostileSplit) {
  await using starting = new AsyncDisposableStack();
  const accounts = await openAccounts(target, ACCOUNTS, 'plan_starter');
  const sources = starting.use(await startSources({ files: { [file]: await makeHostileFile(file) } }));
  return postJobs({
    accounts,
    requestOf: () => request(sources.url(file)),
    loops: ACCOUNTS * JOBS_OF_ACCOUNT,
    // With the cancellations at the end, the accounts stay below their 60 requests a minute.
    pauseMs: 4_000,
    resources: starting.move(),
  });
}

export const MEDIA: readonly Adversary[] = SPLITS.map((split) => ({
  name: split.file.replace('.', '-'),
  title: split.title,
  bound: split.bound,
  play: (target) => playMedia(target, split),
}));
