/** The HPAs, told of a backlog and of busy processors that nobody has. */
import type { KubernetesApi } from '../../../deploy/kubernetes/api.ts';
import { type Played, playedManifest } from '../../../deploy/kubernetes/simulated/played-metrics.ts';
import {
  BACKLOG,
  BACKLOG_PER_SPLITTER,
  FEWEST_SCALED,
  IDLE,
  MOST_SCALED,
} from '../../../deploy/kubernetes/simulated/values.ts';
import { untilSeen } from '../load.ts';
import type { SimulatedContext } from './context.ts';

const SCALED = ['splitter', 'gateway'] as const;
const SCALING_TIMEOUT_MS = 600_000;
const WAITING_JOBS = MOST_SCALED * BACKLOG_PER_SPLITTER;
/** Twice the chart's target of 70: from the fewest to the most. */
const BUSY_PERCENT = 140;
const BUSY: Played = {
  external: { [BACKLOG]: WAITING_JOBS },
  cpuPercent: { ...IDLE.cpuPercent, gateway: BUSY_PERCENT },
};

type ScalingContext = Pick<SimulatedContext, 'samples' | 'signal'>;

export async function followFigures(context: SimulatedContext): Promise<string> {
  const { api, samples } = context;
  try {
    await awaitFewest(context);
    const from = samples.length;
    await play(api, BUSY);
    await awaitReplicas(context, MOST_SCALED);
    await play(api, IDLE);
    await awaitFewest(context);
    const told = SCALED.map((component) => `${component} ${pathOf(samples.slice(from), component)}`);
    return `${WAITING_JOBS} jobs waiting at ${BACKLOG_PER_SPLITTER} for each splitter, gateways at ${BUSY_PERCENT} % of what they request, and then neither: ${told.join(', ')}`;
  } finally {
    await play(api, IDLE);
  }
}

async function play(api: KubernetesApi, played: Played): Promise<void> {
  await api.apply(playedManifest(played));
}

/** A Deployment that an HPA scales is made with one pod, and the HPA sees it some seconds later. */
export async function awaitFewest(context: ScalingContext): Promise<void> {
  await awaitReplicas(context, FEWEST_SCALED);
}

async function awaitReplicas(context: ScalingContext, count: number): Promise<void> {
  const areThere = () =>
    SCALED.every((component) => {
      const replicas = context.samples.at(-1)?.replicas[component];
      return replicas?.wanted === count && replicas.ready === count;
    });
  await untilSeen(context, `there are ${count} of ${SCALED.join(' and ')}`, areThere, SCALING_TIMEOUT_MS);
}

/** Every number of pods that was wanted, in turn. */
function pathOf(samples: SimulatedContext['samples'], component: string): string {
  const wanted = samples.flatMap(({ replicas }) => replicas[component]?.wanted ?? []);
  return wanted.filter((count, index) => count !== wanted[index - 1]).join(', ');
}
