/** `npm run cluster -- down [--dir FOLDER]`: stops what `npm run cluster -- up` has started, and deletes its data. */
import { explainFailure } from '../provision/explain-failure.ts';
import { reportTo } from '../provision/progress.ts';
import { parseClusterArguments } from './command-line.ts';
import { stopCluster } from './stop-cluster.ts';

try {
  const { dir } = parseClusterArguments('down', process.argv.slice(2));
  const wasThere = await stopCluster(dir, reportTo(process.stderr));
  const said = wasThere
    ? 'All down, the data is deleted; what has been built stays in the cache.'
    : `There is no cluster in ${dir}.`;
  process.stderr.write(`${said}\n`);
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = 1;
}
