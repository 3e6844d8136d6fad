/** Installs the chart as a release on the cluster, with Helm. */
import { join } from 'node:path';
import { type ClusterLayout, nodeLayout } from '../../deploy/kubernetes/layout.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';

export const NAMESPACE = 'audiosplit';
export const RELEASE = 'audiosplit';
/** A second tag of every image, for upgrades. */
export const OTHER_TAG = 'next';
/** The port at which requests enter: what an Ingress provides, without one. */
export const ENTRY_PORT = 30080;
export const BASE_URL = entryUrl(ENTRY_PORT);

export const CHART = join(repositoryRoot, 'charts/audiosplit');
const TIMEOUT = '8m';

export function entryUrl(port: number): string {
  return `http://${nodeLayout('/', 1).address}:${port}`;
}

export type Release = ReturnType<typeof openRelease>;

interface ReleaseOptions {
  readonly helm: string;
  readonly layout: ClusterLayout;
  readonly namespace: string;
  /** If several files set the same value, the last one applies. */
  readonly valuesFiles: readonly string[];
  /** The present chart by default. */
  readonly chart?: string;
  /** The folder for Helm's own files. */
  readonly folder: string;
}

/** Every method resolves when every pod is ready, and rejects with ToolError; `settings` as for --set. */
export function openRelease(
  { helm, layout, namespace, valuesFiles, chart = CHART, folder }: ReleaseOptions,
  { signal }: Task,
) {
  const environment = {
    KUBECONFIG: layout.kubeconfig,
    HELM_CACHE_HOME: join(folder, 'helm/cache'),
    HELM_CONFIG_HOME: join(folder, 'helm/config'),
    HELM_DATA_HOME: join(folder, 'helm/data'),
    // Otherwise its discovery cache, for an API server on a random port, stays in the caller's home.
    KUBECACHEDIR: join(folder, 'helm/discovery'),
  };
  const run = (...args: string[]) =>
    runTool(helm, [...args, '--namespace', namespace, '--timeout', TIMEOUT], { signal, environment });
  const values = valuesFiles.flatMap((file) => ['--values', file]);
  return {
    install: () => run('install', RELEASE, chart, ...values, '--wait'),
    upgrade(settings: readonly string[]) {
      const set = settings.flatMap((setting) => ['--set', setting]);
      return run('upgrade', RELEASE, chart, ...values, ...set, '--wait');
    },
    /** To the previous revision by default; a failed one counts as a revision too. */
    rollback(revision?: number) {
      const to = revision === undefined ? [] : [String(revision)];
      return run('rollback', RELEASE, ...to, '--wait');
    },
    /** Resolves with the output of the test's pod. */
    test: () => run('test', RELEASE, '--logs'),
  };
}
