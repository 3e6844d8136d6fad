/** What a cluster can answer whose pods do nothing: the API server's part, the controllers', the scheduler's and Helm's. */

import { COMPONENTS, isComponent } from '../../../deploy/kubernetes/components.ts';
import { completedJobs } from '../completed-jobs.ts';
import { untilSeen } from '../load.ts';
import { NAMESPACE } from '../release.ts';
import type { Step } from '../run-steps.ts';
import { awaitTag, ENFORCE_RESTRICTED, seconds } from '../steps.ts';
import {
  areAllReady,
  componentOf,
  DEPLOYMENTS,
  type Deployment,
  drain,
  isReplaced,
  kill,
  PODS,
  type Pod,
  setSchedulable,
} from '../workload.ts';
import type { SimulatedContext } from './context.ts';
import { objectsIn } from './leftovers.ts';
import { awaitFewest, followFigures } from './scaling.ts';
import { awaitSpread, refuseClosedZone } from './zones.ts';

/** `maxUnavailable` of the chart's budgets. */
const MOST_DISRUPTED = 1;

export const SIMULATED_STEPS: readonly Step<SimulatedContext>[] = [
  ENFORCE_RESTRICTED,
  {
    title: 'helm install',
    isVital: true,
    async run(context) {
      const { api, release } = context;
      await release.install();
      const jobs = (await completedJobs(api, NAMESPACE)).map(({ name }) => `Job ${name}`);
      if (jobs.length === 0) throw new Error('the Job of the migrations has not completed');
      await awaitFewest(context);
      await awaitWhole(context);
      const pods = await productPods(context);
      return `the hook ${jobs.join(', ')} completed; ${pods.length} pods passed admission and became ready`;
    },
  },
  { title: 'pods are spread over zones', run: awaitSpread },
  {
    title: 'helm upgrade',
    run: (context) =>
      rollOut(context, () => context.release.upgrade([`image.tag=${context.otherTag}`]), context.otherTag),
  },
  {
    title: 'helm rollback',
    run: (context) => rollOut(context, () => context.release.rollback(), context.tag),
  },
  {
    title: 'a pod of each component is killed',
    async run(context) {
      const durationsMs = await Promise.all(
        COMPONENTS.map(async (component) => {
          const pod = (await productPods(context)).find((each) => componentOf(each) === component);
          if (pod === undefined) throw new Error(`${component} has no pod`);
          const killedMs = performance.now();
          await kill(context.api, pod);
          await untilSeen(context, `${component} is whole again`, () => isReplaced(context.api, pod));
          return performance.now() - killedMs;
        }),
      );
      return `${COMPONENTS.length} pods replaced, at the longest after ${seconds(Math.max(...durationsMs))}`;
    },
  },
  { title: 'two nodes of different zones are drained at once', run: drainNodes },
  { title: 'a zone is closed', run: refuseClosedZone },
  { title: 'splitters follow the backlog, gateways their processors', run: followFigures },
  {
    title: 'helm uninstall',
    async run(context) {
      const { api, release, before } = context;
      await release.uninstall();
      let left: readonly string[] = [];
      const isEmpty = async () => {
        left = [...(await objectsIn(api, NAMESPACE))].filter((object) => !before.has(object));
        return left.length === 0;
      };
      await untilSeen(context, 'the namespace is as it was before', isEmpty).catch((error) => {
        throw left.length === 0 ? error : new Error(`${left.length} objects are left: ${left.join(', ')}`);
      });
      return 'no object of any kind is left in the namespace';
    },
  },
];

/** Replaces every pod; throws where a component meanwhile had fewer that were ready than its Deployment wants. */
async function rollOut(context: SimulatedContext, act: () => Promise<void>, tag: string): Promise<string> {
  const { api, ready } = context;
  const before = new Set((await productPods(context)).map(({ metadata }) => metadata.uid));
  const wanted = await wantedPods(api);
  ready.restart();
  await act();
  await awaitTag(context, tag);
  await awaitWhole(context);
  const fewest = assertAtLeast(ready.fewest(), wanted, 0);
  const after = await productPods(context);
  if (after.some(({ metadata }) => before.has(metadata.uid))) throw new Error('not every pod was replaced');
  return `${before.size} pods replaced; never fewer ready than wanted, which is more than budgets ask for: ${fewest}`;
}

async function drainNodes(context: SimulatedContext): Promise<string> {
  const { api, ready, signal } = context;
  const wanted = await wantedPods(api);
  const nodes = await nodesOfOneBudget(context);
  ready.restart();
  try {
    const drains = await Promise.all(nodes.map((node) => drain(api, node, signal)));
    await awaitWhole(context);
    const sum = (of: 'evicted' | 'postponed') => drains.reduce((total, each) => total + each[of], 0);
    if (sum('evicted') === 0) throw new Error('there was no pod to evict');
    if (sum('postponed') === 0) throw new Error('no budget has postponed an eviction');
    const fewest = assertAtLeast(ready.fewest(), wanted, MOST_DISRUPTED);
    const spread = await awaitSpread(context);
    return `${sum('evicted')} pods evicted, ${sum('postponed')} evictions postponed by budgets, never more than ${MOST_DISRUPTED} of a component missing: ${fewest}; then again ${spread}`;
  } finally {
    for (const node of nodes) await setSchedulable(api, node, true);
  }
}

/** Two that a component has a pod on each: its budget lets one go at a time. */
async function nodesOfOneBudget(context: SimulatedContext): Promise<readonly string[]> {
  const [component] = COMPONENTS;
  const pods = (await productPods(context)).filter((pod) => componentOf(pod) === component);
  const nodes = [...new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []))].slice(0, 2);
  if (nodes.length < 2) throw new Error(`${component} has no pods on two nodes`);
  return nodes;
}

function assertAtLeast(
  fewest: Readonly<Record<string, number>>,
  wanted: Readonly<Record<string, number>>,
  mayLack: number,
): string {
  const short = COMPONENTS.filter((name) => (fewest[name] ?? 0) < (wanted[name] ?? 0) - mayLack);
  const told = COMPONENTS.map((name) => `${name} ${fewest[name]} of ${wanted[name]}`).join(', ');
  if (short.length > 0) throw new Error(`${short.join(', ')} had fewer pods ready than allowed: ${told}`);
  return told;
}

async function awaitWhole(context: SimulatedContext): Promise<void> {
  await untilSeen(context, 'every Deployment has all of its pods', () => areAllReady(context.api));
}

async function productPods({ api }: Pick<SimulatedContext, 'api'>): Promise<readonly Pod[]> {
  return (await api.list<Pod>(PODS)).filter((pod) => isComponent(componentOf(pod)));
}

async function wantedPods(api: SimulatedContext['api']): Promise<Readonly<Record<string, number>>> {
  const deployments = await api.list<Deployment>(DEPLOYMENTS);
  return Object.fromEntries(deployments.map((each) => [componentOf(each), each.spec.replicas]));
}
