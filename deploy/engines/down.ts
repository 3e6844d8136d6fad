import { reportTo } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { parseDown } from './command-line.ts';
import { stopEngines } from './stop-engines.ts';

await runCommand(async () => {
  const { dir, keepData } = parseDown(process.argv.slice(2));
  await stopEngines({ dir, keepData, report: reportTo(process.stderr) });
  process.stderr.write(
    keepData ? `All down; the data stays in ${dir}.\n` : 'All down, the data is deleted.\n',
  );
});
