/** `npm run verify -- chaos`: exit code 0 without violations, 1 otherwise. */
import { command } from '../harness/command/command.ts';
import { chaosArguments, chaosSpec } from './command-line.ts';
import { FAULTS } from './faults/catalog.ts';
import { runChaos } from './run-chaos.ts';

const kinds = FAULTS.map(({ kind }) => kind);
await command(chaosSpec(kinds), (values, signal) => runChaos(chaosArguments(values, kinds), signal));
