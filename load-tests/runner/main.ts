/**
 * `npm run load`: exit code 0 when every condition held, 1 when one did not, 2 when the run is inconclusive.
 */
import { command } from '../../tests/harness/command/command.ts';
import { LOAD, loadRun } from './command-line.ts';
import { runLoad } from './run-load.ts';

await command(LOAD, async (values, signal) => {
  const { text, outcome } = await runLoad(loadRun(values, process.env), signal);
  return { verdict: text, isFine: outcome === 'inconclusive' ? undefined : outcome === 'held' };
});
