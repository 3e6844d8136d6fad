/** `npm run verify -- drills`: exit code 0 without deviations, 1 otherwise. */
import { command } from '../harness/command/command.ts';
import { DRILLS_COMMAND, drillArguments } from './command-line.ts';
import { runDrills } from './run-drills.ts';

await command(DRILLS_COMMAND, (values, signal) => runDrills(drillArguments(values), signal));
