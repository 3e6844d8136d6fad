/** `npm run verify -- chaos`: exit code 0 without violations, 1 otherwise. */
import { command } from '../harness/command/command.ts';
import { CHAOS, chaosArguments } from './command-line.ts';
import { runChaos } from './run-chaos.ts';

await command(CHAOS, (values, signal) => runChaos(chaosArguments(values), signal));
