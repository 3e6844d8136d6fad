/**
 * `npm run verify -- cluster`: tests the chart on Kubernetes (deploy/kubernetes/up.ts), from installation to
 * the loss of a node. Exit code 0 when every step passed.
 */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { openApi } from '../../deploy/kubernetes/access/api.ts';
import { ensureHelm, ensureKubectl } from '../../deploy/kubernetes/chart-tools.ts';
import { importImages, retagImages } from '../../deploy/kubernetes/images.ts';
import { ensureIngressController } from '../../deploy/kubernetes/ingress-controller.ts';
import { ensureKeda } from '../../deploy/kubernetes/keda.ts';
import {
  API_URL,
  clusterLayout,
  DEFAULT_DATA_DIR,
  HOST_ADDRESS,
  nodesOf,
} from '../../deploy/kubernetes/layout.ts';
import { machineOf, runIn } from '../../deploy/kubernetes/machine/machine.ts';
import { ensureClusterPrograms } from '../../deploy/kubernetes/programs.ts';
import { startCluster } from '../../deploy/kubernetes/start-cluster.ts';
import { readState } from '../../deploy/kubernetes/state.ts';
import { stopCluster } from '../../deploy/kubernetes/stop-cluster.ts';
import { pinnedNode } from '../../deploy/launcher.mjs';
import { chartVersion } from '../../deploy/provision/chart-version.ts';
import { flag, text } from '../../deploy/provision/options.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { versions } from '../../deploy/provision/versions.ts';
import { untilLimitHolds } from '../harness/accounts/limits.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import { command } from '../harness/command/command.ts';
import { pinkNoise } from '../harness/servers/noise.ts';
import { startSources } from '../harness/servers/sources.ts';
import { openExternalRelease } from './external-release.ts';
import { buildFormerImages } from './former-images.ts';
import { type FormerRelease, openFormerRelease } from './former-release.ts';
import { installFormer } from './former-steps.ts';
import { openController } from './ingress/open-controller.ts';
import { openRaisedAccount, REQUESTS_PER_MINUTE } from './limits.ts';
import { noisyNeighbourRun } from './noisy-neighbour.ts';
import { podExec } from './pod-exec.ts';
import { keepPodLogs } from './pod-logs.ts';
import { podNetwork } from './pod-network.ts';
import { portForwarder } from './port-forward.ts';
import { BASE_URL, ENTRY_PORT, NAMESPACE, OTHER_TAG, openRelease, RELEASE } from './release.ts';
import { renderReport } from './report.ts';
import { keyRotation } from './rotate-keys.ts';
import { chooseSteps, runSteps } from './run-steps.ts';
import { openKeda } from './scaling/open-keda.ts';
import { STEPS } from './steps.ts';
import { writeTrialValues } from './trial-values.ts';
import { watchReplicas } from './watch-replicas.ts';
import { assertNotInstalled, entryService, restrictedNamespace } from './workload.ts';

const CLUSTER = {
  command: 'npm run verify -- cluster',
  options: {
    report: text('FILE', 'writes the report to this file, too, as Markdown'),
    dir: text('FOLDER', `that of the cluster (${DEFAULT_DATA_DIR}); where none runs, one is started`),
    only: text('WORDS', 'the steps whose titles have these words, and those that they depend on'),
    keep: flag('leaves a cluster up that the test has started'),
  },
};
/** Longer than it takes to replace the second release's pods, so that a job must be handed over. */
const LASTING_SOURCE_SECONDS = 60;
/** Longer than the usual timeout of proxies, so that a stream that they cut off is detected. */
const FOLLOWED_SOURCE_SECONDS = 75;
const SLOW_SOURCE_SECONDS = 8;
const HEAVY_SOURCE_SECONDS = 180;
const report = reportTo(process.stderr);

await command(CLUSTER, async ({ dir = DEFAULT_DATA_DIR, only, keep }, signal) => {
  const steps = chooseSteps(STEPS, only);
  if (steps.length === 0) throw new StartError(`no step has ${JSON.stringify(only)} in its title`);
  const dataDir = resolve(dir);
  const isThere = readState(dataDir)?.isReady === true;
  const task = reportedTask('cluster', report, signal);
  const former = await prepareFormer(steps, task);
  if (!isThere) await startCluster(dataDir, signal, report);
  try {
    return await testCluster({ steps, former }, dataDir, task);
  } finally {
    if (!isThere && !keep) await stopCluster(dataDir, report);
  }
});

interface Chosen {
  readonly steps: typeof STEPS;
  readonly former: Awaited<ReturnType<typeof prepareFormer>>;
}

/** Done before the cluster uses the processors. An error fails the step that needs the result. */
async function prepareFormer(steps: typeof STEPS, task: Task) {
  if (!steps.some(({ run }) => run === installFormer)) return undefined;
  const [built] = await Promise.allSettled([buildFormerImages(task)]);
  task.signal.throwIfAborted();
  return built;
}

async function testCluster({ steps, former }: Chosen, dataDir: string, task: Task) {
  const startedAt = new Date();
  const layout = clusterLayout(dataDir);
  const folder = join(layout.dataDir, 'scenario');
  await mkdir(folder, { recursive: true });
  const programs = await ensureClusterPrograms(task);
  const nodes = nodesOf(layout.dataDir);
  const state = readState(layout.dataDir);
  for (const { name } of nodes) await retagImages(machineOf(name, state), programs.ctr, OTHER_TAG, task);
  const [helm, kubectl] = [await ensureHelm(task), await ensureKubectl(task)];
  const valuesFiles = await writeTrialValues(layout, folder);
  const release = openRelease({ helm, layout, namespace: NAMESPACE, valuesFiles, folder }, task);
  const forward = portForwarder(kubectl, layout.kubeconfig);
  using api = openApi(layout.certificates, API_URL);
  const files = { 'noise.mp3': await pinkNoise(HEAVY_SOURCE_SECONDS) };
  await using sources = await startSources({ host: HOST_ADDRESS, files });
  await using watch = watchReplicas(api);
  await using logs = await keepPodLogs({
    folders: nodes.map((node) => join(node.folder, 'logs')),
    keptIn: join(folder, 'pod-logs'),
  });
  await assertNotInstalled(api);
  await api.apply(restrictedNamespace(NAMESPACE));
  await api.apply(entryService(NAMESPACE, ENTRY_PORT));

  let user: Account | undefined;
  const openUser = async (requestsPerMinute = REQUESTS_PER_MINUTE) => {
    const operator = { api, forward, namespace: NAMESPACE, secrets: [`${RELEASE}-secrets`] };
    const opened = await openRaisedAccount(operator, BASE_URL, requestsPerMinute);
    await untilLimitHolds(BASE_URL, opened, requestsPerMinute);
    return opened;
  };
  const external = await openExternalRelease({ helm, kubectl, layout, folder, api }, task);
  let formerRelease: FormerRelease | undefined;
  const openFormer = async () => {
    if (former?.status !== 'fulfilled') throw former?.reason;
    const images = former.value;
    const { name: node } = nodes[0];
    await importImages(machineOf(node, state), programs.ctr, images.archive, task);
    return await openFormerRelease({ helm, layout, folder, api, forward, external, images, node }, task);
  };
  const context = {
    api,
    release,
    external,
    forward,
    former: async () => {
      formerRelease ??= await openFormer();
      return formerRelease;
    },
    rotateKeys: keyRotation(kubectl, layout.kubeconfig, task),
    user: async () => {
      user ??= await openUser();
      return user;
    },
    openAccount: openUser,
    runNoisyNeighbour: noisyNeighbourRun(folder, sources.url(), task),
    execIn: podExec(kubectl, layout.kubeconfig, task),
    openController: async () => {
      const controller = await ensureIngressController(task);
      return await openController(controller, { api, kubectl, layout, node: nodes[0], signal: task.signal });
    },
    openKeda: async () =>
      await openKeda(await ensureKeda(task), { api, kubectl, layout, folder, signal: task.signal }),
    runScript: (machine: string, script: string, args: readonly string[]) =>
      runIn(machineOf(machine, readState(layout.dataDir)), pinnedNode, [script, ...args], task),
    connectFrom: podNetwork(layout.dataDir, programs.ctr, task),
    sources: {
      fast: sources.url(),
      slow: sources.url('tour.mp3', { paceMs: SLOW_SOURCE_SECONDS * 1_000 }),
    },
    heavySource: sources.url('noise.mp3'),
    lastingSource: sources.url('tour.mp3', { paceMs: LASTING_SOURCE_SECONDS * 1_000 }),
    followedSource: sources.url('tour.mp3', { paceMs: FOLLOWED_SOURCE_SECONDS * 1_000 }),
    outsideUrl: sources.url(),
    samples: watch.samples,
    tag: await chartVersion(),
    otherTag: OTHER_TAG,
    drainedNode: nodes[1].name,
    signal: task.signal,
  };
  const outcomes = await runSteps(steps, context, report, { ...watch, ...logs });
  const facts = { startedAt, kubernetes: versions.kubernetes, nodes: nodes.length };
  return {
    report: renderReport({ ...facts, cores: availableParallelism() }, outcomes, watch.samples),
    isFine: outcomes.every(({ outcome }) => outcome === 'passed'),
  };
}
