/** `npm run cluster -- down [--dir FOLDER]`: stops what `npm run cluster -- up` has started, and deletes its data. */
import { reportTo } from '../provision/progress.ts';
import { runExplained } from '../provision/run-command.ts';
import { parseClusterArguments } from './command-line.ts';
import { stopCluster } from './stop-cluster.ts';

await runExplained(async () => {
  const { dir } = parseClusterArguments('down', process.argv.slice(2));
  const wasThere = await stopCluster(dir, reportTo(process.stderr));
  const said = wasThere
    ? 'All down, the data is deleted; what has been built stays in the cache.'
    : `There is no cluster in ${dir}.`;
  process.stderr.write(`${said}\n`);
});
