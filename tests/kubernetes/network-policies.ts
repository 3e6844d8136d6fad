/**
 * Whether network policies are enforced: every pod of the product and its engines, and two other pods, try to
 * connect to every other pod, to a server outside and to the API server, on one node and across both.
 */
import { messageOf } from '@audiosplit/chassis/errors';
import type { KubernetesApi, Manifest } from '../../deploy/kubernetes/access/api.ts';
import { COMPONENTS } from '../../deploy/kubernetes/components.ts';
import { isReady } from '../../deploy/kubernetes/conditions.ts';
import { API_URL, CONTROL_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { PAUSE_IMAGE } from '../../deploy/kubernetes/node.ts';
import { type LoadContext, untilSeen } from './load.ts';
import {
  breachesOf,
  CALLERS,
  type Caller,
  ENGINES,
  PEERS,
  type Peer,
  type Reached,
  reachOf,
  renderReached,
} from './network-rules.ts';
import type { ConnectFrom } from './pod-network.ts';
import { NAMESPACE, RELEASE } from './release.ts';
import { componentOf, PODS, type Pod, podsIn } from './workload.ts';

export interface NetworkContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly connectFrom: ConnectFrom;
  /** The URL of a server outside the cluster. */
  readonly outsideUrl: string;
}

const OTHER_NAMESPACE = 'strangers';
const METRICS_PORT = 9464;
const PORTS: Readonly<Record<string, number>> = {
  gateway: 8080,
  postgresql: 5432,
  redis: 6379,
  kafka: 9092,
  storage: 7070,
};
const RPC_PORT = 9090;
/** Time until the sets of addresses include the newly started strangers. */
const SETTLING_MS = 30_000;

/** Resolves with a summary; throws with every breach. */
export async function holdPolicies(context: NetworkContext) {
  const { api } = context;
  try {
    for (const manifest of strangers()) await api.apply(manifest);
    let pods = await podsOf(api);
    const areThere = async () => {
      pods = await podsOf(api);
      return CALLERS.every((caller) => pods[caller].length > 0 && pods[caller].every(isReady));
    };
    await untilSeen(context, 'strangers are ready', areThere);
    let reached = await tryAll(context, pods);
    const isSettled = async () => {
      reached = await tryAll(context, pods);
      return breachesOf(reached).length === 0;
    };
    if (breachesOf(reached).length > 0) {
      await untilSeen(context, 'policies hold', isSettled, SETTLING_MS).catch((error) => {
        const breaches = breachesOf(reached);
        throw new Error(`${messageOf(error)}: ${breaches.length} breaches: ${breaches.join('; ')}`);
      });
    }
    const tried = CALLERS.flatMap((caller) => pods[caller]).length;
    return {
      message: `${tried} pods tried ${PEERS.length} kinds of peers, each pod of them: what the table below says, and what is promised`,
      page: renderReached(reached),
    };
  } finally {
    for (const path of [`${PODS}/stranger`, `/api/v1/namespaces/${OTHER_NAMESPACE}`])
      await api.call('DELETE', path).catch(() => undefined);
  }
}

async function tryAll({ connectFrom, outsideUrl }: NetworkContext, pods: PodsOf): Promise<Reached> {
  const addresses = addressesOf(pods, outsideUrl);
  const rows = await Promise.all(
    CALLERS.map(async (caller) => {
      const tried = await Promise.all(
        pods[caller].map(async (pod) => {
          // Connections to its own address never leave the pod.
          const isForeign = (address: string) => !address.startsWith(`${pod.status.podIP}:`);
          const of = PEERS.map((peer) => addresses[peer].filter(isForeign));
          const outcomes = [...(await connectFrom(pod, of.flat()))];
          return of.map((each) => outcomes.splice(0, each.length));
        }),
      );
      const reach = PEERS.map((peer, index) => [peer, reachOf(tried.flatMap((each) => each[index] ?? []))]);
      return [caller, Object.fromEntries(reach)] as const;
    }),
  );
  return Object.fromEntries(rows) as Reached;
}

function addressesOf(pods: PodsOf, outsideUrl: string): Readonly<Record<Peer, readonly string[]>> {
  const at = (pod: Pod, port: number) => `${pod.status.podIP}:${port}`;
  const own = [...COMPONENTS, ...ENGINES].map((name) => [
    name,
    pods[name].map((pod) => at(pod, PORTS[name] ?? RPC_PORT)),
  ]);
  return {
    ...Object.fromEntries(own),
    metrics: COMPONENTS.flatMap((name) => pods[name].map((pod) => at(pod, METRICS_PORT))),
    names: [`${CONTROL_ADDRESS}:53`],
    outside: [new URL(outsideUrl).host],
    'API server': [new URL(API_URL).host],
  };
}

type PodsOf = Readonly<Record<Caller, readonly Pod[]>>;

async function podsOf(api: KubernetesApi): Promise<PodsOf> {
  const all = (await api.list<Pod>(PODS)).filter(({ status }) => status.phase === 'Running');
  const others = await api.list<Pod>(podsIn(OTHER_NAMESPACE));
  const named = (caller: Caller) => {
    if (caller === 'impostor') return others;
    return all.filter((pod) =>
      caller === 'stranger' ? pod.metadata.name === caller : componentOf(pod) === caller,
    );
  };
  return Object.fromEntries(CALLERS.map((caller) => [caller, named(caller)])) as Record<
    Caller,
    readonly Pod[]
  >;
}

function strangers(): readonly Manifest[] {
  const labels = {
    'app.kubernetes.io/name': 'audiosplit',
    'app.kubernetes.io/instance': RELEASE,
    'app.kubernetes.io/component': 'gateway',
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER_NAMESPACE } },
    idlePod({ name: 'stranger', namespace: NAMESPACE }),
    idlePod({ name: 'impostor', namespace: OTHER_NAMESPACE, labels }),
  ];
}

function idlePod(metadata: Manifest['metadata']): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata,
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'idle',
          image: PAUSE_IMAGE,
          imagePullPolicy: 'Never',
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}
