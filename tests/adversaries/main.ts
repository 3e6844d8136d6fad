/** `npm run verify -- adversaries`: exit code 0 if every bound holds, 1 otherwise. */
import { command } from '../harness/command/command.ts';
import { COMMAND } from './command-line.ts';
import { runAdversaries } from './run-adversaries.ts';

await command(COMMAND, runAdversaries);
