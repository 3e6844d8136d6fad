/**
 * `npm run cluster -- up [--dir FOLDER] [--nodes real|simulated]`: a Kubernetes on this machine, with the project's images in it
 * where its nodes are real.
 */
import { explainFailure } from '../provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { ensureHelm } from './chart-tools.ts';
import { parseUpArguments } from './command-line.ts';
import { clusterLayout } from './layout.ts';
import type { NodeKind } from './nodes-choice.ts';
import { startCluster } from './start-cluster.ts';

/** Of the chart's own examples, and what can be tried with it. */
const TRIES: Readonly<Record<NodeKind, { title: string; example: string; isSplitPossible: boolean }>> = {
  real: { title: 'Install the product there, and split:', example: 'minimal', isSplitPossible: true },
  simulated: {
    title: 'Install the chart there and watch its pods, which do nothing:',
    example: 'ha',
    isSplitPossible: false,
  },
};

const report = reportTo(process.stderr);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const { dir, nodes } = parseUpArguments(process.argv.slice(2));
  const kind = await startCluster({ dataDir: dir, nodes, signal: interruption.signal, report });
  const { kubeconfig, values } = clusterLayout(dir);
  const helm = await ensureHelm(reportedTask('helm', report, interruption.signal));
  const { title, example, isSplitPossible } = TRIES[kind];
  process.stderr.write(`\n${title}\n\n`);
  process.stdout.write(
    `export KUBECONFIG=${kubeconfig}
${helm} install audiosplit charts/audiosplit -n audiosplit --create-namespace --wait -f charts/audiosplit/ci/${example}-values.yaml -f ${values}
${isSplitPossible ? `${helm} test audiosplit -n audiosplit --logs\n` : ''}`,
  );
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
