/**
 * `npm run verify -- cluster`: the chart on a Kubernetes (deploy/kubernetes/up.ts), from its installation to the loss of a node. Exit
 * code 0 when every step passed.
 */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { openApi } from '../../deploy/kubernetes/access/api.ts';
import { ensureHelm, ensureKubectl } from '../../deploy/kubernetes/chart-tools.ts';
import { retagImages } from '../../deploy/kubernetes/images.ts';
import {
  API_URL,
  clusterLayout,
  DEFAULT_DATA_DIR,
  HOST_ADDRESS,
  nodesOf,
} from '../../deploy/kubernetes/layout.ts';
import { machineOf } from '../../deploy/kubernetes/machine/machine.ts';
import { ensureClusterPrograms } from '../../deploy/kubernetes/programs.ts';
import { startCluster } from '../../deploy/kubernetes/start-cluster.ts';
import { readState } from '../../deploy/kubernetes/state.ts';
import { stopCluster } from '../../deploy/kubernetes/stop-cluster.ts';
import { chartVersion } from '../../deploy/provision/chart-version.ts';
import { flag, text } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions } from '../../deploy/provision/versions.ts';
import { type Account, openAccount } from '../harness/accounts/open-account.ts';
import { command } from '../harness/command/command.ts';
import { startSources } from '../harness/servers/sources.ts';
import { openExternalRelease } from './external-release.ts';
import { raiseLimits } from './limits.ts';
import { podExec } from './pod-exec.ts';
import { podNetwork } from './pod-network.ts';
import { portForwarder } from './port-forward.ts';
import { BASE_URL, NAMESPACE, OTHER_TAG, openRelease } from './release.ts';
import { renderReport } from './report.ts';
import { runSteps } from './run-steps.ts';
import { SLOW_SOURCE_SECONDS, STEPS } from './steps.ts';
import { writeTrialValues } from './trial-values.ts';
import { watchReplicas } from './watch-replicas.ts';
import { assertNotInstalled, namespaceManifests } from './workload.ts';

const CLUSTER = {
  command: 'npm run verify -- cluster',
  options: {
    report: text('FILE', 'writes the report to this file, too, as Markdown'),
    dir: text('FOLDER', `that of the cluster (${DEFAULT_DATA_DIR}); where none runs, one is started`),
    keep: flag('leaves a cluster up that the test has started'),
  },
};
/** Longer than pods of the second release take to be replaced, so that a job has to be handed on. */
const LASTING_SOURCE_SECONDS = 60;
const report = reportTo(process.stderr);

await command(CLUSTER, async ({ dir = DEFAULT_DATA_DIR, keep }, signal) => {
  const dataDir = resolve(dir);
  const isThere = readState(dataDir)?.isReady === true;
  if (!isThere) await startCluster(dataDir, signal, report);
  try {
    return await testCluster(dataDir, reportedTask('cluster', report, signal));
  } finally {
    if (!isThere && !keep) await stopCluster(dataDir, report);
  }
});

async function testCluster(dataDir: string, task: Task) {
  const startedAt = new Date();
  const layout = clusterLayout(dataDir);
  const folder = join(layout.dataDir, 'scenario');
  await mkdir(folder, { recursive: true });
  const programs = await ensureClusterPrograms(task);
  const nodes = nodesOf(layout.dataDir);
  for (const { name } of nodes) {
    await retagImages(machineOf(name, readState(layout.dataDir)), programs.ctr, OTHER_TAG, task);
  }
  const [helm, kubectl] = [await ensureHelm(task), await ensureKubectl(task)];
  const valuesFiles = await writeTrialValues(layout, folder);
  const release = openRelease({ helm, layout, namespace: NAMESPACE, valuesFiles, folder }, task);
  const forward = portForwarder(kubectl, layout.kubeconfig);
  using api = openApi(layout.certificates, API_URL);
  await using sources = await startSources({ host: HOST_ADDRESS });
  await using watch = watchReplicas(api);
  await assertNotInstalled(api);
  for (const manifest of namespaceManifests()) await api.apply(manifest);

  let user: Account | undefined;
  const openUser = async () => {
    const opened = await openAccount(BASE_URL);
    await raiseLimits(api, forward, opened);
    return opened;
  };
  const context = {
    api,
    release,
    external: await openExternalRelease({ helm, kubectl, layout, folder, api }, task),
    forward,
    user: async () => {
      user ??= await openUser();
      return user;
    },
    execIn: podExec(kubectl, layout.kubeconfig, task),
    connectFrom: podNetwork(layout.dataDir, programs.ctr, task),
    sources: {
      fast: sources.url(),
      slow: sources.url('tour.mp3', { paceMs: SLOW_SOURCE_SECONDS * 1_000 }),
    },
    lastingSource: sources.url('tour.mp3', { paceMs: LASTING_SOURCE_SECONDS * 1_000 }),
    outsideUrl: sources.url(),
    samples: watch.samples,
    tag: await chartVersion(),
    otherTag: OTHER_TAG,
    drainedNode: nodes[1].name,
    signal: task.signal,
  };
  const outcomes = await runSteps(STEPS, context, report, watch.enter);
  const facts = { startedAt, kubernetes: versions.kubernetes, nodes: nodes.length };
  return {
    report: renderReport({ ...facts, cores: availableParallelism() }, outcomes, watch.samples),
    isFine: outcomes.every(({ outcome }) => outcome === 'passed'),
  };
}
