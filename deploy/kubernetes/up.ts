import { helpOf } from '../provision/options.ts';
import { reportedTask, reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { ensureHelm } from './chart-tools.ts';
import { parseClusterArguments, UP } from './command-line.ts';
import { clusterLayout } from './layout.ts';
import { startCluster } from './start-cluster.ts';

const report = reportTo(process.stderr);
await runCommand(async (signal) => {
  const { help, dir } = parseClusterArguments(UP, process.argv.slice(2));
  if (help) return void process.stdout.write(helpOf(UP));
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
