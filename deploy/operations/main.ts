import { runToEnd } from '@audiosplit/chassis/process/lifecycle';
import { loadSecretFiles } from '@audiosplit/chassis/process/secret-files';
import { runOperatorCommand } from './commands.ts';
import { SETTINGS } from './settings.ts';

const [command = 'operate'] = process.argv.slice(2);
await runToEnd(command, async () => {
  loadSecretFiles(process.env, SETTINGS);
  await runOperatorCommand(process.argv.slice(2), process.env, (text) => void process.stdout.write(text));
});
