import { runToEnd } from '@audiosplit/chassis/process/lifecycle';
import { runOperatorCommand } from './commands.ts';

const [command = 'operate'] = process.argv.slice(2);
await runToEnd(command, () =>
  runOperatorCommand(process.argv.slice(2), process.env, (text) => void process.stdout.write(text)),
);
