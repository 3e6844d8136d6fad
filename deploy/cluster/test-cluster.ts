/**
 * `npm run test:cluster [-- --report FILE] [--dir FOLDER] [--keep]`: the chart on a real Kubernetes (kubernetes/up.ts), from its
 * installation to the loss of a node. Exit code 0 when every step passed.
 */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { insertReport } from '../chaos/report.ts';
import { type ApiUser, openApiUser } from '../distributed/api-user.fixture.ts';
import type { Task } from '../engines/engine.ts';
import { explainFailure } from '../engines/explain-failure.ts';
import { Interrupted, onInterruption } from '../engines/interruption.ts';
import { reportedTask, reportTo } from '../engines/progress.ts';
import { ProvisionError } from '../engines/provision-error.ts';
import { ensureHelm } from './chart-tools.ts';
import { chartVersion } from './chart-version.ts';
import { openApi } from './kubernetes/api.ts';
import { parseTestArguments } from './kubernetes/command-line.ts';
import { retagImages } from './kubernetes/images.ts';
import { ensureKubectl } from './kubernetes/kubectl.ts';
import { clusterLayout, nodesOf } from './kubernetes/layout.ts';
import { machineOf } from './kubernetes/machine.ts';
import { ensureClusterPrograms } from './kubernetes/programs.ts';
import { startCluster } from './kubernetes/start-cluster.ts';
import { readState } from './kubernetes/state.ts';
import { stopCluster } from './kubernetes/stop-cluster.ts';
import { KUBERNETES_VERSION } from './kubernetes-schemas.ts';
import { openExternalRelease } from './scenario/external-release.ts';
import { raiseLimits } from './scenario/limits.ts';
import { openPodNetwork } from './scenario/pod-network.ts';
import { openForwarder } from './scenario/port-forward.ts';
import { BASE_URL, NAMESPACE, openRelease } from './scenario/release.ts';
import { renderReport, type StepOutcome } from './scenario/report.ts';
import { openSources } from './scenario/sources.ts';
import { STEPS, type StepContext } from './scenario/steps.ts';
import { writeTrialValues } from './scenario/trial-values.ts';
import { watchReplicas } from './scenario/watch-replicas.ts';
import { isInstalled, namespaceManifests } from './scenario/workload.ts';

const OTHER_TAG = 'next';

const report = reportTo(process.stderr);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const values = parseTestArguments(process.argv.slice(2));
  const dataDir = values.dir;
  const task = reportedTask('cluster', report, interruption.signal);
  const isThere = readState(dataDir)?.isReady === true;
  if (!isThere) await startCluster({ dataDir, signal: interruption.signal, report });
  try {
    const { page, passed } = await testCluster(dataDir, task);
    process.stdout.write(`\n${page}`);
    if (values.report !== undefined) {
      const before = existsSync(values.report) ? readFileSync(values.report, 'utf8') : '';
      await writeFile(values.report, insertReport(before, page));
    }
    process.exitCode = passed ? 0 : 1;
  } finally {
    if (!isThere && !values.keep) await stopCluster(dataDir, report);
  }
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Connections to a cluster that is gone would hold it.
process.exit();

async function testCluster(dataDir: string, task: Task) {
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
  using api = openApi(layout.certificates);
  await using sources = await openSources();
  await using watch = watchReplicas(api);
  if (await isInstalled(api)) {
    throw new ProvisionError(
      'the product is installed there already: helm uninstall audiosplit -n audiosplit, or npm run cluster:down',
    );
  }
  for (const manifest of namespaceManifests()) await api.apply(manifest);

  let user: ApiUser | undefined;
  const openUser = async () => {
    const opened = await openApiUser(BASE_URL, sources.url);
    await raiseLimits(api, forwarder, opened);
    return opened;
  };
  const external = await openExternalRelease({ helm, kubectl, layout, folder, api, forwarder }, task);
  const startedAt = new Date();
  const outcomes = await runSteps(
    {
      api,
      release,
      external,
      user: async () => {
        user ??= await openUser();
        return user;
      },
      podNetwork: openPodNetwork(layout.dataDir, programs.ctr, task),
      outsideUrl: sources.url,
      samples: watch.samples,
      tag: await chartVersion(),
      otherTag: OTHER_TAG,
      drainedNode: nodes[1].name,
      signal: task.signal,
    },
    watch.enter,
  );
  const facts = {
    startedAt,
    kubernetes: KUBERNETES_VERSION,
    nodes: nodes.length,
    cores: availableParallelism(),
  };
  return {
    page: renderReport(facts, outcomes, watch.samples),
    passed: outcomes.every(({ outcome }) => outcome === 'passed'),
  };
}

async function runSteps(
  context: StepContext,
  enter: (step: string) => void,
): Promise<readonly StepOutcome[]> {
  const outcomes: StepOutcome[] = [];
  let isOver = false;
  for (const { title, isVital, run } of STEPS) {
    if (isOver) {
      outcomes.push({ title, outcome: 'left out', told: 'a step before it failed', seconds: 0 });
      continue;
    }
    enter(title);
    report('step', title);
    const startedMs = performance.now();
    const outcome = await run(context).then(
      (told) => ({ outcome: 'passed' as const, ...(typeof told === 'string' ? { told } : told) }),
      (error) => ({ outcome: 'FAILED' as const, told: messageOf(error) }),
    );
    context.signal.throwIfAborted();
    report('step', `${outcome.outcome}: ${outcome.told}`);
    outcomes.push({ title, ...outcome, seconds: (performance.now() - startedMs) / 1000 });
    isOver = isVital === true && outcome.outcome === 'FAILED';
  }
  return outcomes;
}
