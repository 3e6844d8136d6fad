/** The steps in which the number of splitters follows the backlog, by each of the chart's ways. */
import type { KubernetesApi } from '../../../deploy/kubernetes/access/api.ts';
import { allComplete, type LoadContext, untilSeen } from '../load.ts';
import type { Release } from '../release.ts';
import type { Sample } from '../timeline.ts';
import { PODS, type Pod } from '../workload.ts';

export interface ScalingContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly release: Release;
  readonly samples: readonly Sample[];
  readonly openKeda: () => Promise<AsyncDisposable>;
  /**
   * Its conversion keeps a core busy for seconds: jobs that only wait for their sources need no more
   * splitters.
   */
  readonly heavySource: string;
  /** Arrives so slowly that its job outlasts `SCALE_DOWN_SECONDS` by far. */
  readonly lastingSource: string;
}

const JOBS_IN_BACKLOG = 40;
const MOST_SPLITTERS = 4;
const SCALING_TIMEOUT_MS = 600_000;
const SCALE_DOWN_SECONDS = 30;
const AUTOSCALING = [
  'splitter.autoscaling.enabled=true',
  `splitter.autoscaling.maxReplicas=${MOST_SPLITTERS}`,
  `splitter.autoscaling.scaleDownAfterSeconds=${SCALE_DOWN_SECONDS}`,
  // Five jobs of one account are offered at a time: with two for each splitter, three splitters would
  // suffice.
  'splitter.autoscaling.backlogPerReplica=1',
  // Unreachable, so that only the backlog decides.
  'splitter.autoscaling.cpuUtilization=1000',
];
const BY_EXTERNAL_METRIC = [
  ...AUTOSCALING,
  'splitter.autoscaling.by=external',
  'splitter.autoscaling.minReplicas=1',
];
const BY_KEDA = [
  ...AUTOSCALING,
  'splitter.autoscaling.by=keda',
  'splitter.autoscaling.minReplicas=0',
  'splitter.autoscaling.keda.pollingIntervalSeconds=5',
];

export async function scaleByExternalMetric(context: ScalingContext): Promise<string> {
  await context.release.upgrade(BY_EXTERNAL_METRIC);
  const from = context.samples.length;
  const summary = await followBacklog(context, 1);
  const backlogs = context.samples.slice(from).flatMap(({ backlog }) => backlog ?? []);
  if (!backlogs.some((backlog) => backlog > 0)) throw new Error('the HPA never received a backlog');
  return `${summary}, up to ${Math.max(...backlogs)} jobs waiting`;
}

/** From none and back. Then a running job, which is no longer part of the lag, keeps the last splitter. */
export async function scaleByKeda(context: ScalingContext): Promise<string> {
  await using _keda = await context.openKeda();
  await context.release.upgrade(BY_KEDA);
  try {
    const summary = await followBacklog(context, 0);
    const lasted = await keepLastSplitter(context);
    return `${summary}; the only splitter stayed for a job of ${lasted} s`;
  } finally {
    // While KEDA runs: it removes its own mark from the ScaledObject, which could not be deleted without it.
    await context.release.upgrade([]);
  }
}

async function followBacklog(context: ScalingContext, fewest: number): Promise<string> {
  await awaitSplitters(context, fewest);
  const from = context.samples.length;
  const user = await context.user();
  await Promise.all(
    Array.from({ length: JOBS_IN_BACKLOG }, () =>
      user.client.createSplit({
        sourceUrl: context.heavySource,
        splitMode: 'duration',
        segmentDuration: 60,
        outputFormat: 'aac',
      }),
    ),
  );
  await awaitSplitters(context, MOST_SPLITTERS);
  await allComplete(context, SCALING_TIMEOUT_MS);
  await awaitSplitters(context, fewest);
  const counts = context.samples.slice(from).flatMap(({ replicas }) => replicas.splitter?.wanted ?? []);
  return `${JOBS_IN_BACKLOG} jobs: from ${counts[0]} to ${Math.max(...counts)} splitters and back to ${counts.at(-1)}`;
}

/** Resolves with the seconds that the job was running. */
async function keepLastSplitter(context: ScalingContext): Promise<number> {
  const { api, signal } = context;
  const { client } = await context.user();
  const { id } = await client.createSplit({
    sourceUrl: context.lastingSource,
    splitMode: 'duration',
    segmentDuration: 20,
  });
  const isOf = (status: string) => async () => (await client.getSplit(id)).status === status;
  await untilSeen({ signal }, 'the job is running', isOf('processing'));
  const startedMs = performance.now();
  const splitters = async () =>
    (await api.list<Pod>(PODS, 'app.kubernetes.io/component=splitter')).map(({ metadata }) => metadata.uid);
  const [only, ...more] = await splitters();
  if (only === undefined || more.length > 0) throw new Error(`${more.length + 1} splitters for one job`);
  await untilSeen({ signal }, 'the job is complete', async () => {
    if (await isOf('completed')()) return true;
    if (!(await splitters()).includes(only)) throw new Error('the splitter of a running job was ended');
    return false;
  });
  const seconds = Math.round((performance.now() - startedMs) / 1_000);
  if (seconds < 1.5 * SCALE_DOWN_SECONDS) throw new Error(`a job of ${seconds} s shows nothing`);
  await awaitSplitters(context, 0);
  return seconds;
}

async function awaitSplitters({ samples, signal }: ScalingContext, count: number): Promise<void> {
  const areThere = () => {
    const splitters = samples.at(-1)?.replicas.splitter;
    return splitters?.wanted === count && splitters.ready === count;
  };
  await untilSeen({ signal }, `there are ${count} splitters`, areThere, SCALING_TIMEOUT_MS);
}
