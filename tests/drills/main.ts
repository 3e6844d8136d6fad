/** `npm run verify -- drills`: exit code 0 without deviations, 1 otherwise. */
import { command } from '../harness/command/command.ts';
import { DRILLS } from './catalog.ts';
import { drillArguments, drillsSpec } from './command-line.ts';
import { runDrills } from './run-drills.ts';

await command(drillsSpec(DRILLS.map(({ name }) => name)), (values, signal) =>
  runDrills(drillArguments(values), signal),
);
