/** Zones, which the values make a must of: a pod goes where its kind is fewest, or waits. */

import { COMPONENTS, isComponent } from '../../../deploy/kubernetes/components.ts';
import { untilSeen } from '../load.ts';
import { areAllReady, componentOf, kill, PODS, setSchedulable } from '../workload.ts';
import type { SimulatedContext } from './context.ts';
import { brokenMusts, type LabelledNode, type Spread, type SpreadPod, spreadOf } from './spread.ts';

const ZONE = 'topology.kubernetes.io/zone';
const CLOSED_COMPONENT = 'jobs';

/** Resolves once every must is kept, with how pods lie. */
export async function awaitSpread(context: Pick<SimulatedContext, 'api' | 'signal'>): Promise<string> {
  let spreads: readonly Spread[] = [];
  await untilSeen(context, 'every component is spread as its pods ask for', async () => {
    spreads = await readSpreads(context);
    return brokenMusts(spreads).length === 0;
  }).catch((error) => {
    const broken = brokenMusts(spreads);
    throw broken.length === 0 ? error : new Error(`not spread as asked for: ${broken.join('; ')}`);
  });
  const byZone = spreads.filter(({ topologyKey }) => topologyKey === ZONE);
  const hasMust = (name: string) =>
    byZone.some(
      ({ component, whenUnsatisfiable }) => component === name && whenUnsatisfiable === 'DoNotSchedule',
    );
  const without = COMPONENTS.filter((name) => !hasMust(name));
  if (without.length > 0) throw new Error(`these make no must of zones: ${without.join(', ')}`);
  const uneven = spreads.filter(({ topologyKey }) => topologyKey !== ZONE).map(({ skew }) => skew);
  return `${byZone.map(({ component, counts }) => `${component} ${counts.join('-')}`).join(', ')} over the zones; by node, where it is a wish, they differ by ${Math.max(...uneven)} at most`;
}

/** No node of a zone takes pods, and one of its pods dies: its successor waits rather than go elsewhere. */
export async function refuseClosedZone(context: SimulatedContext): Promise<string> {
  const { api } = context;
  const nodes = await api.list<LabelledNode>('/api/v1/nodes');
  const victim = (await podsOf(context)).find(({ spec }) => spec.nodeName !== undefined);
  const zone = nodes.find(({ metadata }) => metadata.name === victim?.spec.nodeName)?.metadata.labels[ZONE];
  if (victim === undefined || zone === undefined) throw new Error(`${CLOSED_COMPONENT} has no pod in a zone`);
  const closed = nodes.filter(({ metadata }) => metadata.labels[ZONE] === zone);
  let why = '';
  try {
    for (const { metadata } of closed) await setSchedulable(api, metadata.name, false);
    await kill(api, victim);
    await untilSeen(context, `a pod of ${CLOSED_COMPONENT} waits for the zone`, async () => {
      why = (await podsOf(context)).map(reasonToWait).find((reason) => reason !== undefined) ?? '';
      return why !== '';
    });
  } finally {
    for (const { metadata } of closed) await setSchedulable(api, metadata.name, true);
  }
  await untilSeen(context, 'it is scheduled once the zone is open', () => areAllReady(api));
  const spread = await readSpreads(context);
  if (brokenMusts(spread).length > 0) throw new Error('it went to another zone');
  return `a pod of ${CLOSED_COMPONENT} waited (${why}) and came to its zone when that was open again`;
}

function reasonToWait({ spec, status }: SpreadPod): string | undefined {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const waits = spec.nodeName === undefined && scheduled?.reason === 'Unschedulable';
  return waits ? scheduled.message?.split('. ')[0] : undefined;
}

async function podsOf({ api }: SimulatedContext): Promise<readonly SpreadPod[]> {
  const pods = await api.list<SpreadPod>(PODS, `app.kubernetes.io/component=${CLOSED_COMPONENT}`);
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function readSpreads({ api }: Pick<SimulatedContext, 'api'>): Promise<readonly Spread[]> {
  const nodes = await api.list<LabelledNode>('/api/v1/nodes');
  const pods = (await api.list<SpreadPod>(PODS)).filter((pod) => isComponent(componentOf(pod)));
  return spreadOf(pods, nodes);
}
