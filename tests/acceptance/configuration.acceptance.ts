/** A start that cannot succeed: exit code 1 and one line that states what to change. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before } from 'node:test';
import type { Env } from '@audiosplit/chassis/process/env';
import { dataFolder } from '../harness/installation/as-a-user/npm-start.ts';
import { runProduct } from '../harness/installation/as-a-user/start-as-user.ts';
import { listen } from '../harness/servers/listen.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { scenario } from './scenario.ts';

/** One for each part that reads settings: the launcher, a service, and the search for a program. */
const WRONG_VALUES: readonly (readonly [variable: string, value: string, allowed: RegExp])[] = [
  ['PORT', 'eighty', /0 to 65535/],
  ['SMTP_URL', 'http://localhost', /smtp:/],
  ['FFMPEG_PATH', '/nowhere/ffmpeg', /ffmpeg/],
];

// The first start of a clone also prints its build steps.
before(() => runProduct({ PORT: 'eighty' }));

for (const [variable, value, allowed] of WRONG_VALUES) {
  scenario(`${variable}=${value} is rejected with name, value and allowed values`, {}, async () => {
    await using data = await dataFolder();
    const line = await refusedStart({ DATA_DIR: data.path, [variable]: value });
    assert.ok(line.includes(variable), line);
    assert.ok(line.includes(value), line);
    assert.match(line, allowed);
  });
}

scenario('a folder that cannot be created is rejected with the name of its variable', {}, async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'file');
  await writeFile(file, '');
  const line = await refusedStart({ DATA_DIR: join(file, 'data') });
  assert.ok(line.includes(`DATA_DIR ${join(file, 'data')}`), line);
  assert.match(line, /set DATA_DIR/);
});

scenario('a port in use is rejected with the name of its variable', {}, async () => {
  await using data = await dataFolder();
  await using server = await listen(() => undefined);
  const line = await refusedStart({ DATA_DIR: data.path, PORT: String(server.port) });
  assert.ok(line.includes(`PORT ${server.port}`), line);
  assert.match(line, /taken.*set PORT/);
});

/** The one line, without its line break. */
async function refusedStart(env: Env): Promise<string> {
  const { code, stdout, stderr } = await runProduct(env);
  const printed = stderr.slice(0, 500);
  assert.deepEqual({ code, stdout }, { code: 1, stdout: '' }, printed);
  const [line = '', ...others] = stderr.split('\n');
  assert.deepEqual(others, [''], `more than one line: ${printed}`);
  assert.match(line, /^audiosplit: /);
  return line;
}
