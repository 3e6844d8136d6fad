/** The chart as a release on the cluster, by Helm. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Task } from '../../engines/engine.ts';
import { runTool } from '../../engines/run-tool.ts';
import { repositoryRoot } from '../../local/install.mjs';
import { type ClusterLayout, HOST_ADDRESS, nodeLayout } from '../kubernetes/layout.ts';

export const NAMESPACE = 'audiosplit';
export const RELEASE = 'audiosplit';
/** Where callers come in: the way of an Ingress, without one. */
export const ENTRY_PORT = 30080;
export const BASE_URL = `http://${nodeLayout('/', 1).address}:${ENTRY_PORT}`;

const CHART = join(repositoryRoot, 'charts/audiosplit');
const TRIAL_VALUES = join(CHART, 'ci/minimal-values.yaml');
const TIMEOUT = '8m';

export interface Release {
  /** Resolve when every pod is ready; `settings` as for --set. Reject with ToolError. */
  install(): Promise<void>;
  upgrade(settings?: readonly string[]): Promise<void>;
  rollback(): Promise<void>;
  /** Resolves with what the test's pod said. */
  test(): Promise<string>;
}

export async function openRelease(
  helm: string,
  { kubeconfig, values: imageValues }: ClusterLayout,
  folder: string,
  task: Task,
): Promise<Release> {
  const valuesFile = join(folder, 'values.json');
  await writeFile(valuesFile, `${JSON.stringify(valuesForScenario(), null, 2)}\n`);
  const environment = {
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: join(folder, 'helm/cache'),
    HELM_CONFIG_HOME: join(folder, 'helm/config'),
    HELM_DATA_HOME: join(folder, 'helm/data'),
  };
  const run = (...args: string[]) =>
    runTool(helm, [...args, '--namespace', NAMESPACE, '--timeout', TIMEOUT], {
      signal: task.signal,
      environment,
    });
  const values = [TRIAL_VALUES, imageValues, valuesFile].flatMap((file) => ['--values', file]);
  return {
    async install() {
      await run('install', RELEASE, CHART, ...values, '--wait');
    },
    async upgrade(settings = []) {
      const set = settings.flatMap((setting) => ['--set', setting]);
      await run('upgrade', RELEASE, CHART, ...values, ...set, '--wait');
    },
    async rollback() {
      await run('rollback', RELEASE, '--wait');
    },
    test: () => run('test', RELEASE, '--logs'),
  };
}

/** Two of everything, small enough for one node to carry all of it while the other is drained. */
function valuesForScenario() {
  const requests = { cpu: '50m', memory: '128Mi' };
  const pair = { replicas: 2, resources: { requests } };
  return {
    publicBaseUrl: BASE_URL,
    egress: { allowCidrs: [`${HOST_ADDRESS}/32`] },
    drain: { graceSeconds: 20 },
    gateway: pair,
    auth: pair,
    account: pair,
    billing: pair,
    jobs: pair,
    webhooks: pair,
    splitter: {
      replicas: 2,
      concurrency: 2,
      resources: {
        requests: { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '1Gi' },
        limits: { 'ephemeral-storage': '9Gi' },
      },
    },
  };
}
