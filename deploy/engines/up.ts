import { helpOf } from '../provision/options.ts';
import { reportTo, seconds } from '../provision/progress.ts';
import { runCommand } from '../provision/run-command.ts';
import { parseUp, UP } from './command-line.ts';
import { environmentOf, renderExports } from './environment.ts';
import { startEngines } from './start-engines.ts';

// Progress goes to stderr and only the exports to stdout, so `eval "$(node up.ts)"` works.
const startedMs = performance.now();
await runCommand(async (signal) => {
  const { help, dir, only } = parseUp(process.argv.slice(2));
  if (help) return void process.stdout.write(helpOf(UP));
  const endpoints = await startEngines({ dir, only, signal, report: reportTo(process.stderr) });
  process.stderr.write(
    `\nAll up after ${seconds(startedMs)}; state and logs are in ${dir}. Copy and paste:\n\n`,
  );
  process.stdout.write(renderExports(environmentOf(endpoints)));
});
