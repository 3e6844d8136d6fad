/** `npm run load`: exit code 0 when everything held, 1 when something did not, 2 when the run cannot tell. */
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { loadHelp, parseLoad } from './command-line.ts';
import { runLoad } from './run-load.ts';

const EXIT_CODES = { held: 0, failed: 1, inconclusive: 2 } as const;

const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const args = parseLoad(process.argv.slice(2), process.env);
  if (args.help) process.stdout.write(loadHelp());
  else {
    const { text, outcome } = await runLoad(args, interruption.signal);
    process.stdout.write(`\n${text}`);
    process.exitCode = EXIT_CODES[outcome];
  }
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof Interrupted;
  process.stderr.write(`audiosplit: ${isExpected ? messageOf(error) : (error as Error).stack}\n`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// A connection that is kept open for later calls would keep the process.
process.exit();
