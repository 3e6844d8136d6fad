import { explainFailure } from '../provision/explain-failure.ts';
import { helpOf } from '../provision/options.ts';
import { reportTo } from '../provision/progress.ts';
import { DOWN, parseDown } from './command-line.ts';
import { stopEngines } from './stop-engines.ts';

try {
  const { help, dir, keepData } = parseDown(process.argv.slice(2));
  if (help) {
    process.stdout.write(helpOf(DOWN));
  } else {
    await stopEngines({ dir, keepData, report: reportTo(process.stderr) });
    process.stderr.write(
      keepData ? `All down; the data stays in ${dir}.\n` : 'All down, the data is deleted.\n',
    );
  }
} catch (error) {
  process.stderr.write(`\n${explainFailure(error)}`);
  process.exitCode = 1;
}
