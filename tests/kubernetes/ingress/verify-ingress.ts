/** The step that tests the chart's Ingress and HTTPRoute, each through a controller that operators use. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { KubernetesApi } from '../../../deploy/kubernetes/access/api.ts';
import { isReady } from '../../../deploy/kubernetes/conditions.ts';
import { MACHINES_NETWORK, POD_NETWORK } from '../../../deploy/kubernetes/layout.ts';
import { type LoadContext, untilSeen } from '../load.ts';
import type { Release } from '../release.ts';
import { PODS, type Pod } from '../workload.ts';
import { countClients, type RunScript } from './client-addresses.ts';
import {
  CONTROLLER_NAMESPACE,
  GATEWAY,
  INGRESS_CLASS,
  type Kind,
  MEMORY_LIMIT,
} from './controller-manifests.ts';
import { type EntryPoint, fetchBy, PUBLIC_HOST } from './entry-point.ts';
import { followBy } from './event-stream.ts';
import { uploadBy } from './large-upload.ts';
import type { OpenController } from './open-controller.ts';

export interface IngressContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly release: Release;
  readonly openController: () => Promise<OpenController>;
  readonly runScript: RunScript;
  /** See event-stream.ts. */
  readonly followedSource: string;
}

const FROM = 'networkPolicies.gateway.from';
/** The chart's part of docs/operations/ingress.md. This machine still connects through a node's port. */
const VALUES = [
  `publicBaseUrl=http://${PUBLIC_HOST}`,
  'ingress.enabled=true',
  `ingress.className=${INGRESS_CLASS}`,
  'httpRoute.enabled=true',
  `httpRoute.parentRefs[0].name=${GATEWAY}`,
  `httpRoute.parentRefs[0].namespace=${CONTROLLER_NAMESPACE}`,
  `gateway.trustProxy[0]=${POD_NETWORK}`,
  `${FROM}[0].namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=${CONTROLLER_NAMESPACE}`,
  `${FROM}[1].ipBlock.cidr=${MACHINES_NETWORK}`,
];
/** A machine for each kind: a request limit that one has used up stays used up for a minute. */
const CLIENTS: Readonly<Record<Kind, string>> = { Ingress: 'control', HTTPRoute: 'node-2' };

export async function verifyBothKinds(context: IngressContext): Promise<string> {
  await using controller = await context.openController();
  await context.release.upgrade(VALUES);
  await untilSeen(context, 'gateways without these values have left', () => areAllGatewaysNew(context));
  const findings: string[] = [];
  for (const entryPoint of controller.entryPoints) {
    try {
      findings.push(`${entryPoint.kind}: ${await verifyKind(context, entryPoint)}`);
    } catch (error) {
      throw new Error(`${entryPoint.kind}: ${messageOf(error)}`);
    }
    const restarts = await controller.restarts();
    if (restarts > 0) throw new Error(`${entryPoint.kind}: the controller has ended ${restarts} times`);
  }
  return `${findings.join('; ')}; the controller stayed below ${MEMORY_LIMIT}`;
}

async function verifyKind(context: IngressContext, entryPoint: EntryPoint): Promise<string> {
  await untilSeen(context, 'requests arrive', () => isReachable(entryPoint));
  const user = await context.user();
  const lasting = [followBy(entryPoint, user, context.followedSource), uploadBy(entryPoint, user)];
  // Neither may continue in the next step.
  await Promise.allSettled(lasting);
  const findings = await Promise.all(lasting);
  findings.push(await countClients(entryPoint, CLIENTS[entryPoint.kind], context.runScript));
  return findings.join(', ');
}

async function isReachable(entryPoint: EntryPoint): Promise<boolean> {
  const response = await fetchBy(entryPoint, '/accepting').catch(() => undefined);
  response?.resume();
  return response?.statusCode === 200;
}

async function areAllGatewaysNew({ api }: IngressContext): Promise<boolean> {
  const gateways = await api.list<Pod>(PODS, 'app.kubernetes.io/component=gateway');
  return gateways.every((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod));
}
