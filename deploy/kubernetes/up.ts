/** `npm run cluster -- up [--dir FOLDER]`: a Kubernetes on this machine, with the project's images in it. */
import { reportedTask, reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { ensureHelm } from './chart-tools.ts';
import { parseClusterArguments } from './command-line.ts';
import { clusterLayout } from './layout.ts';
import { startCluster } from './start-cluster.ts';

const report = reportTo(process.stderr);
await runCommand(async (signal) => {
  const { dir } = parseClusterArguments('up', process.argv.slice(2));
  await startCluster(dir, signal, report);
  const { kubeconfig, values } = clusterLayout(dir);
  const helm = await ensureHelm(reportedTask('helm', report, signal));
  process.stderr.write('\nInstall the product there, and split:\n\n');
  process.stdout.write(
    `export KUBECONFIG=${kubeconfig}
${helm} install audiosplit charts/audiosplit -n audiosplit --create-namespace --wait -f charts/audiosplit/ci/minimal-values.yaml -f ${values}
${helm} test audiosplit -n audiosplit --logs
`,
  );
});
