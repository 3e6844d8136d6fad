/** `npm run drills`: exit code 0 when all was as expected, 1 otherwise. */
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { Interrupted, onInterruption } from '../../deploy/provision/interruption.ts';
import { writeReport } from '../harness/command/report-file.ts';
import { DRILLS } from './catalog.ts';
import { drillsHelp, parseDrills } from './command-line.ts';
import { runDrills } from './run-drills.ts';

const names = DRILLS.map(({ name }) => name);
const interruption = new AbortController();
onInterruption((signal) => interruption.abort(new Interrupted(signal)));
try {
  const args = parseDrills(process.argv.slice(2), names);
  if (args.help) process.stdout.write(drillsHelp(names));
  else {
    const { protocol, deviations } = await runDrills(args, interruption.signal);
    if (args.report !== undefined) writeReport(args.report, protocol);
    process.stdout.write(
      `\n${protocol}\n${deviations === 0 ? 'All was as expected.' : `${deviations} deviations.`}\n`,
    );
    process.exitCode = deviations === 0 ? 0 : 1;
  }
} catch (error) {
  const isExpected = error instanceof StartError || error instanceof Interrupted;
  process.stderr.write(`audiosplit: ${isExpected ? messageOf(error) : (error as Error).stack}\n`);
  process.exitCode = error instanceof Interrupted ? error.exitCode : 1;
}
// Calls to a product that is gone would go on being repeated.
process.exit();
