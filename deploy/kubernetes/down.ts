import { helpOf } from '../provision/options.ts';
import { reportTo } from '../provision/progress.ts';
import { runExplained } from '../provision/run-command.ts';
import { DOWN, parseClusterArguments } from './command-line.ts';
import { stopCluster } from './stop-cluster.ts';

await runExplained(async () => {
  const { help, dir } = parseClusterArguments(DOWN, process.argv.slice(2));
  if (help) return void process.stdout.write(helpOf(DOWN));
  const wasThere = await stopCluster(dir, reportTo(process.stderr));
  const said = wasThere
    ? 'All down, the data is deleted; what has been built stays in the cache.'
    : `There is no cluster in ${dir}.`;
  process.stderr.write(`${said}\n`);
});
