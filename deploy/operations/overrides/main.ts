import { systemClock } from '@audiosplit/chassis/clock';
import { runToEnd } from '@audiosplit/chassis/process/lifecycle';
import { runOverridesCommand } from './overrides-command.ts';

await runToEnd('overrides', () =>
  runOverridesCommand(process.argv.slice(2), {
    env: process.env,
    clock: systemClock,
    write: (text) => void process.stdout.write(text),
  }),
);
