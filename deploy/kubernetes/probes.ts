/** Checks that parts of the cluster work. Each resolves with false, or rejects, until they do. */
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { get } from 'node:https';
import type { KubernetesApi } from './access/api.ts';
import { isReady, type WithConditions } from './conditions.ts';
import { API_SERVICE_ADDRESS, CONTROL_ADDRESS } from './layout.ts';

export const SCHEDULER_PORT = 10_259;
export const PROXY_HEALTH_PORT = 10_256;
const TIMEOUT_MS = 5_000;

export async function isNodeReady(api: KubernetesApi, name: string): Promise<boolean> {
  return isReady(await api.call<WithConditions>('GET', `/api/v1/nodes/${name}`));
}

/** Its certificate is self-signed. */
export async function isSchedulerHealthy(address: string, port: number): Promise<boolean> {
  const asked = get(`https://${address}:${port}/healthz`, {
    rejectUnauthorized: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode === 200;
}

/** Checks the part of a node that answers on the port. */
export async function isHealthy(nodeAddress: string, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return (await fetch(`http://${nodeAddress}:${port}/healthz`, { signal })).ok;
}

export async function knowsTheApiServer(): Promise<boolean> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  resolver.setServers([CONTROL_ADDRESS]);
  const addresses = await resolver.resolve4('kubernetes.default.svc.cluster.local');
  return addresses.includes(API_SERVICE_ADDRESS);
}
