import { helpOf } from '../provision/options.ts';
import { reportTo } from '../provision/progress.ts';
import { runExplained } from '../provision/run-command.ts';
import { DOWN, parseDown } from './command-line.ts';
import { stopEngines } from './stop-engines.ts';

await runExplained(async () => {
  const { help, dir, keepData } = parseDown(process.argv.slice(2));
  if (help) return void process.stdout.write(helpOf(DOWN));
  await stopEngines({ dir, keepData, report: reportTo(process.stderr) });
  process.stderr.write(
    keepData ? `All down; the data stays in ${dir}.\n` : 'All down, the data is deleted.\n',
  );
});
