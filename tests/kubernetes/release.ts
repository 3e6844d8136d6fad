/** The chart as a release on the cluster, by Helm. */
import { join } from 'node:path';
import { type ClusterLayout, nodeLayout } from '../../deploy/kubernetes/layout.ts';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';

export const NAMESPACE = 'audiosplit';
export const RELEASE = 'audiosplit';
/** What every image is tagged with once more, to be upgraded to. */
export const OTHER_TAG = 'next';
/** Where callers come in: the way of an Ingress, without one. */
export const ENTRY_PORT = 30080;
export const BASE_URL = `http://${nodeLayout('/', 1).address}:${ENTRY_PORT}`;

export const CHART = join(repositoryRoot, 'charts/audiosplit');
const TIMEOUT = '8m';

export type Release = ReturnType<typeof openRelease>;

interface ReleaseOptions {
  readonly helm: string;
  readonly layout: ClusterLayout;
  readonly namespace: string;
  /** Of several that say something of the same value, the last counts. */
  readonly valuesFiles: readonly string[];
  /** Where Helm keeps what is its own. */
  readonly folder: string;
}

/** Everything resolves when every pod is ready, and rejects with ToolError; `settings` as for --set. */
export function openRelease(
  { helm, layout, namespace, valuesFiles, folder }: ReleaseOptions,
  { signal }: Task,
) {
  const environment = {
    KUBECONFIG: layout.kubeconfig,
    HELM_CACHE_HOME: join(folder, 'helm/cache'),
    HELM_CONFIG_HOME: join(folder, 'helm/config'),
    HELM_DATA_HOME: join(folder, 'helm/data'),
    // Else what it has learnt of an API server of a random port stays in the caller's home.
    KUBECACHEDIR: join(folder, 'helm/discovery'),
  };
  const run = (...args: string[]) =>
    runTool(helm, [...args, '--namespace', namespace, '--timeout', TIMEOUT], { signal, environment });
  const values = valuesFiles.flatMap((file) => ['--values', file]);
  return {
    install: () => run('install', RELEASE, CHART, ...values, '--wait'),
    upgrade(settings: readonly string[]) {
      const set = settings.flatMap((setting) => ['--set', setting]);
      return run('upgrade', RELEASE, CHART, ...values, ...set, '--wait');
    },
    /** To the revision before, if none is named; a failed one is a revision as well. */
    rollback(revision?: number) {
      const to = revision === undefined ? [] : [String(revision)];
      return run('rollback', RELEASE, ...to, '--wait');
    },
    /** Resolves with what the test's pod said. */
    test: () => run('test', RELEASE, '--logs'),
  };
}
