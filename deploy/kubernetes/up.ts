/** `npm run cluster -- up [--dir FOLDER]`: a Kubernetes on this machine, with the project's images in it. */
import { explainFailure } from '../provision/explain-failure.ts';
import { Interrupted, onInterruption } from '../provision/interruption.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { ensureHelm } from './chart-tools.ts';
import { parseClusterArguments } from './command-line.ts';
import { clusterLayout } from './layout.ts';
import { startCluster } from './start-cluster.ts';

const report = reportTo(process.stderr);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const { dir } = parseClusterArguments('up', process.argv.slice(2));
  await startCluster(dir, interruption.signal, report);
  const { kubeconfig, values } = clusterLayout(dir);
  const helm = await ensureHelm(reportedTask('helm', report, interruption.signal));
  process.stderr.write('\nInstall the product there, and split:\n\n');
  process.stdout.write(
    `export KUBECONFIG=${kubeconfig}
${helm} install audiosplit charts/audiosplit -n audiosplit --create-namespace --wait -f charts/audiosplit/ci/minimal-values.yaml -f ${values}
${helm} test audiosplit -n audiosplit --logs
`,
  );
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
