/** The chart on simulated nodes, from its installation to its removal. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chartVersion } from '../../../deploy/containers/chart-version.ts';
import { openApi } from '../../../deploy/kubernetes/api.ts';
import { ensureHelm } from '../../../deploy/kubernetes/chart-tools.ts';
import { clusterLayout } from '../../../deploy/kubernetes/layout.ts';
import { apiUrl, simulatedNodes } from '../../../deploy/kubernetes/simulated/layout.ts';
import type { SimulatedClusterState } from '../../../deploy/kubernetes/state.ts';
import type { Report } from '../../../deploy/provision/progress.ts';
import type { Task } from '../../../deploy/provision/task.ts';
import { untilSeen } from '../load.ts';
import { CHART, NAMESPACE, OTHER_TAG, openRelease } from '../release.ts';
import { type ClusterRun, NOT_SIMULATED, type StepOutcome } from '../report.ts';
import { runSteps } from '../run-steps.ts';
import { watchReplicas } from '../watch-replicas.ts';
import { assertNotInstalled, restrictedNamespace } from '../workload.ts';
import { objectsIn } from './leftovers.ts';
import { watchReady } from './ready-watch.ts';
import { SIMULATED_STEPS } from './steps.ts';

/** What controllers put into every namespace. */
const ALWAYS_THERE = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'];

/** What the steps on real nodes ask besides. */
const UNANSWERED: readonly { readonly title: string; readonly told: string }[] = [
  { title: 'helm test', told: 'a split needs pods that run' },
  { title: 'requests during an upgrade, a rollback, a death and a drain', told: 'nobody answers any' },
  { title: 'probes, and when pods are ready', told: 'kwok says so after some seconds' },
  { title: 'drains of the product', told: 'pods leave after some seconds, whatever they would do' },
  { title: 'a backlog of real jobs', told: 'its figure is set by the step' },
  { title: 'images, Secrets and volumes', told: 'nobody pulls or mounts any' },
  { title: 'network policies', told: 'there are no packets' },
];

export async function testSimulatedCluster(
  { ports }: SimulatedClusterState,
  dataDir: string,
  task: Task,
  report: Report,
): Promise<ClusterRun> {
  const layout = clusterLayout(dataDir);
  const folder = join(layout.dataDir, 'scenario');
  await mkdir(folder, { recursive: true });
  const valuesFiles = [join(CHART, 'ci/ha-values.yaml'), layout.values];
  const helm = await ensureHelm(task);
  const release = openRelease(helm, layout.kubeconfig, { namespace: NAMESPACE, valuesFiles, folder }, task);
  using api = openApi(layout.certificates, apiUrl(ports));
  await assertNotInstalled(api);
  await api.apply(restrictedNamespace(NAMESPACE));
  let before: ReadonlySet<string> = new Set();
  await untilSeen(task, 'the namespace has what every one has', async () => {
    before = await objectsIn(api, NAMESPACE);
    return ALWAYS_THERE.every((object) => before.has(object));
  });
  const nodes = simulatedNodes();
  await using watch = watchReplicas(api);
  await using ready = watchReady(api);
  const context = {
    api,
    release,
    ready,
    samples: watch.samples,
    tag: await chartVersion(),
    otherTag: OTHER_TAG,
    before,
    signal: task.signal,
  };
  const watching = { signal: task.signal, report, enter: watch.enter };
  const answered = await runSteps(SIMULATED_STEPS, context, watching);
  const zones = new Set(nodes.map(({ zone }) => zone)).size;
  return {
    nodes: `${nodes.length} nodes in ${zones} zones, simulated by kwok`,
    outcomes: [...answered, ...UNANSWERED.map(unanswered)],
    samples: watch.samples,
  };
}

function unanswered(question: { readonly title: string; readonly told: string }): StepOutcome {
  return { ...question, outcome: NOT_SIMULATED, seconds: 0 };
}
