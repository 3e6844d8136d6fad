/** `npm run chaos`: exit code 0 when nothing was violated, 1 otherwise. */
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { writeReport } from '../harness/command/report-file.ts';
import { chaosHelp, parseChaos } from './command-line.ts';
import { FAULTS } from './faults/catalog.ts';
import { runChaos } from './run-chaos.ts';

const kinds = FAULTS.map(({ kind }) => kind);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const args = parseChaos(process.argv.slice(2), kinds);
  if (args.help) process.stdout.write(chaosHelp(kinds));
  else {
    const { report, violations } = await runChaos(args, interruption.signal);
    process.stdout.write(`\n${report}`);
    if (args.report !== undefined) writeReport(args.report, report);
    process.exitCode = violations === 0 ? 0 : 1;
  }
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof Interrupted;
  process.stderr.write(`audiosplit: ${isExpected ? messageOf(error) : (error as Error).stack}\n`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Calls to a product that is gone would go on being repeated.
process.exit();
