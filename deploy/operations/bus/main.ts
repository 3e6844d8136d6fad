/** `main.ts dead-letters …` or `main.ts lag …`: what an operator does to the bus, from a shell that reaches it. */

import { openOperations, readBusLocation } from '@audiosplit/chassis/event-bus/operator/open-operations';
import { runToEnd, StartError } from '@audiosplit/chassis/process/lifecycle';
import { parseDeadLettersArguments, runDeadLettersCommand } from './dead-letters-command.ts';
import { parseLagArguments, runLagCommand } from './lag-command.ts';

const write = (text: string) => void process.stdout.write(text);

const [command = '', ...args] = process.argv.slice(2);
await runToEnd(command, async () => {
  switch (command) {
    case 'dead-letters': {
      const parsed = parseDeadLettersArguments(args);
      await using operations = await openOperations(readBusLocation(process.env));
      await runDeadLettersCommand(operations, parsed, write);
      return;
    }
    case 'lag': {
      const format = parseLagArguments(args);
      await using operations = await openOperations(readBusLocation(process.env));
      await runLagCommand(operations, format, write);
      return;
    }
    default:
      throw new StartError('usage: main.ts dead-letters|lag …');
  }
});
