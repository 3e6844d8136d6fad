import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCRIPTS } from '../commands.mjs';
import { runOperatorCommand } from './commands.ts';

async function run(...args: string[]): Promise<string> {
  const output: string[] = [];
  await runOperatorCommand(args, {}, (text) => void output.push(text));
  return output.join('');
}

test('every command of `npm run operate` prints its usage with --help, without any environment variables', async () => {
  const names = Object.keys(SCRIPTS.operate?.commands ?? {}).filter((name) => name !== 'operators');
  assert.equal(names.length, 9);
  for (const name of names) {
    for (const help of [['--help'], ['-h'], ['something', '--help']]) {
      assert.match(await run(name, ...help), new RegExp(`npm run operate -- ${name}`));
    }
  }
});

test('without a command, or with an unknown one, it fails and lists the commands', async () => {
  assert.match(await run('--help'), /^Commands: backup, restore, .*overrides\.$/m);
  await assert.rejects(run(), { name: 'StartError', message: /^name a command\nusage: / });
  await assert.rejects(run('wrong'), { name: 'StartError', message: /^there is no wrong\nusage: / });
});
