/**
 * `npm run verify -- cluster [--report FILE] [--dir FOLDER] [--keep]`: the chart on a Kubernetes
 * (deploy/kubernetes/up.ts), from its installation to the loss of a node. Exit code 0 when every step passed.
 */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { openApi } from '../../deploy/kubernetes/access/api.ts';
import { ensureKubectl } from '../../deploy/kubernetes/access/kubectl.ts';
import { ensureHelm } from '../../deploy/kubernetes/chart-tools.ts';
import { parseTestArguments } from '../../deploy/kubernetes/command-line.ts';
import { retagImages } from '../../deploy/kubernetes/images.ts';
import { API_URL, clusterLayout, HOST_ADDRESS, nodesOf } from '../../deploy/kubernetes/layout.ts';
import { machineOf } from '../../deploy/kubernetes/machine/machine.ts';
import { ensureClusterPrograms } from '../../deploy/kubernetes/programs.ts';
import { startCluster } from '../../deploy/kubernetes/start-cluster.ts';
import { readState } from '../../deploy/kubernetes/state.ts';
import { stopCluster } from '../../deploy/kubernetes/stop-cluster.ts';
import { chartVersion } from '../../deploy/provision/chart-version.ts';
import { explainFailure } from '../../deploy/provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions } from '../../deploy/provision/versions.ts';
import { type Account, openAccount } from '../harness/accounts/open-account.ts';
import { writeReport } from '../harness/command/report-file.ts';
import { startSources } from '../harness/servers/sources.ts';
import { openExternalRelease } from './external-release.ts';
import { raiseLimits } from './limits.ts';
import { openPodNetwork } from './pod-network.ts';
import { openForwarder } from './port-forward.ts';
import { BASE_URL, NAMESPACE, OTHER_TAG, openRelease } from './release.ts';
import { type ClusterRun, renderReport } from './report.ts';
import { runSteps } from './run-steps.ts';
import { SLOW_SOURCE_SECONDS, STEPS } from './steps.ts';
import { writeTrialValues } from './trial-values.ts';
import { watchReplicas } from './watch-replicas.ts';
import { assertNotInstalled, namespaceManifests } from './workload.ts';

const report = reportTo(process.stderr);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const values = parseTestArguments(process.argv.slice(2));
  const dataDir = values.dir;
  const { signal } = interruption;
  const task = reportedTask('cluster', report, signal);
  const isThere = readState(dataDir)?.isReady === true;
  if (!isThere) await startCluster({ dataDir, signal, report });
  try {
    const startedAt = new Date();
    const run = await testCluster(dataDir, task);
    const page = renderReport(
      { startedAt, kubernetes: versions.kubernetes, nodes: run.nodes, cores: availableParallelism() },
      run.outcomes,
      run.samples,
    );
    process.stdout.write(`\n${page}`);
    if (values.report !== undefined) writeReport(values.report, page);
    process.exitCode = run.outcomes.every(({ outcome }) => outcome === 'passed') ? 0 : 1;
  } finally {
    if (!isThere && !values.keep) await stopCluster(dataDir, report);
  }
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Connections to a cluster that is gone would hold it.
process.exit();

async function testCluster(dataDir: string, task: Task): Promise<ClusterRun> {
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
  const release = openRelease(helm, layout.kubeconfig, { namespace: NAMESPACE, valuesFiles, folder }, task);
  const forwarder = openForwarder(kubectl, layout.kubeconfig);
  using api = openApi(layout.certificates, API_URL);
  await using sources = await startSources({ host: HOST_ADDRESS });
  await using watch = watchReplicas(api);
  await assertNotInstalled(api);
  for (const manifest of namespaceManifests()) await api.apply(manifest);

  let user: Account | undefined;
  const openUser = async () => {
    const opened = await openAccount(BASE_URL);
    await raiseLimits(api, forwarder, opened);
    return opened;
  };
  const external = await openExternalRelease({ helm, kubectl, layout, folder, api, forwarder }, task);
  const outcomes = await runSteps(
    STEPS,
    {
      api,
      release,
      external,
      user: async () => {
        user ??= await openUser();
        return user;
      },
      podNetwork: openPodNetwork(layout.dataDir, programs.ctr, task),
      sources: {
        fast: sources.url(),
        slow: sources.url('tour.mp3', { paceMs: SLOW_SOURCE_SECONDS * 1_000 }),
      },
      outsideUrl: sources.url(),
      samples: watch.samples,
      tag: await chartVersion(),
      otherTag: OTHER_TAG,
      drainedNode: nodes[1].name,
      signal: task.signal,
    },
    { signal: task.signal, report, enter: watch.enter },
  );
  return { nodes: `${nodes.length} nodes`, outcomes, samples: watch.samples };
}
