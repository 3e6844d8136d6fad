/**
 * A job's way through the service, for an account beside many jobs and accounts and for one that is almost alone. Samples of both
 * alternate.
 */
import { formatMs, type Row } from '@audiosplit/chassis/testing/bench-table';
import { latencyOf, median, timed } from '@audiosplit/chassis/testing/latency';
import { attemptPrefixOf, type JobOutcome } from '../src/job.ts';
import { claimJob } from '../src/lease/claim.ts';
import { completeJob } from '../src/lease/lease.ts';
import { listJobs } from '../src/store/read/list-jobs.ts';
import { createJob } from '../src/submit/create-job.ts';
import type { standInsOn } from './stand-ins.ts';

export interface Side {
  readonly dependencies: ReturnType<typeof standInsOn>;
  /** Each has no job that waits or runs. */
  readonly nextAccountId: () => string;
}

const GOAL_RATIO = 1.2;
const WARM_UP = 20;
const CLAIMANT = { workerId: 'bench', supportsPlans: true, sendsSourceHeaders: true, usesBuckets: true };

type StepTimes = Record<'created' | 'claimed' | 'completed' | 'first page of the list', number>;

export async function compareJobs(
  whose: string,
  { alone, beside, samples }: { readonly alone: Side; readonly beside: Side; readonly samples: number },
): Promise<Row[]> {
  const times = { alone: [] as StepTimes[], beside: [] as StepTimes[] };
  for (let n = -WARM_UP; n < samples; n++) {
    const inTurn = [
      ['alone', alone],
      ['beside', beside],
    ] as const;
    for (const [name, side] of n % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const taken = await runJob(side);
      if (n >= 0) times[name].push(taken);
    }
  }
  return (Object.keys(times.alone[0] ?? {}) as (keyof StepTimes)[]).map((step) => {
    const of = (side: keyof typeof times) => times[side].map((taken) => taken[step]);
    const ratio = median(of('beside')) / median(of('alone'));
    return {
      measure: `${whose}: ${step}`,
      cells: [
        formatMs(median(of('alone'))),
        formatMs(median(of('beside'))),
        ratio.toFixed(2),
        formatMs(latencyOf(of('beside')).p99Ms),
      ],
      goal: `ratio ≤ ${GOAL_RATIO}`,
      isMet: ratio <= GOAL_RATIO,
    };
  });
}

async function runJob({ dependencies, nextAccountId }: Side): Promise<StepTimes> {
  const accountId = nextAccountId();
  const [created, { id }] = await timed(() =>
    createJob(dependencies, {
      accountId,
      request: {
        sourceUrl: 'https://media.example.com/episode.mp3',
        uploadKey: undefined,
        sourceHeaderNames: [],
        sourceConnectionId: undefined,
        destination: undefined,
        cut: { duration: { segmentDuration: 60 } },
        outputFormat: 'mp3',
      },
      sourceHeaders: {},
      destination: undefined,
      webhookUrl: undefined,
      metadata: undefined,
    }),
  );
  const [claimed, { job }] = await timed(() => claimJob(dependencies, id, CLAIMANT));
  const [completed] = await timed(() => completeJob(dependencies, id, job.fence, outcomeOf(id, job.fence)));
  const [listed] = await timed(() =>
    listJobs(dependencies.pool, {
      accountId,
      status: undefined,
      sortBy: 'createdAt',
      ascending: false,
      limit: 20,
      offset: 0,
    }),
  );
  return { created, claimed, completed, 'first page of the list': listed };
}

function outcomeOf(jobId: string, fence: number): JobOutcome {
  return {
    outputFormat: 'mp3',
    sourceFileName: 'episode.mp3',
    sourceDurationMs: 120_000,
    sourceSizeBytes: 2_000_000,
    segments: [0, 1].map((index) => ({
      index,
      objectKey: `${attemptPrefixOf(jobId, fence)}${index}.mp3`,
      fileName: `episode-${index}.mp3`,
      contentType: 'audio/mpeg',
      startMs: index * 60_000,
      durationMs: 60_000,
      sizeBytes: 1_000_000,
    })),
  };
}
