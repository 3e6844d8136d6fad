import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const skip = process.platform === 'linux' ? false : 'there is no /proc';
/** Root may read everything. */
const ACCOUNT = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};

test('only a hidden process itself can read its environment and memory', { skip }, async () => {
  const program = `
    const { hideProcess } = await import(${JSON.stringify(join(import.meta.dirname, 'hide-process.ts'))});
    process.stdin.once('data', async () => console.log(await hideProcess()));
    console.log('visible');
  `;
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, flags, {
    ...ACCOUNT,
    cwd: tmpdir(),
    env: { SECRET: 'of the service' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const read = (file: string) =>
    spawnSync('/bin/cat', [`/proc/${child.pid}/${file}`], { ...ACCOUNT, cwd: tmpdir(), encoding: 'utf8' });
  try {
    await once(child.stdout, 'data');
    assert.match(read('environ').stdout, /SECRET=of the service/);
    child.stdin.write('hide\n');
    const [answer] = await once(child.stdout, 'data');
    assert.equal(String(answer), 'true\n');
    for (const file of ['environ', 'maps', 'mem']) assert.match(read(file).stderr, /denied/, file);
  } finally {
    child.kill('SIGKILL');
  }
});
