import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { sourceFlags } from '../launcher.mjs';

/** Fails while another one runs, as the real apt-get does while another one reads the index. */
const APT_GET = `#!/bin/sh
set -e
mkdir "$0.lock" || { echo 'E: Could not get lock' >&2; exit 100; }
sleep 0.3
rmdir "$0.lock"
`;

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audiosplit-apt-'));
  await writeFile(join(folder, 'apt-get'), APT_GET, { mode: 0o755 });
});
after(() => rm(folder, { recursive: true }));

test('processes that install concurrently wait for each other', {
  skip: process.getuid?.() !== 0 && 'only root may install',
}, async () => {
  const installing = `
      import { installPackages } from ${JSON.stringify(join(import.meta.dirname, 'debian-packages.ts'))};
      const task = { signal: new AbortController().signal, step: (_title, work) => work() };
      await Promise.all(['redis', 'postgresql'].map((name) => installPackages([name], name, task)));`;
  const endings = ['first', 'second'].map(async () => {
    const child = spawn(process.execPath, [...sourceFlags, '--input-type=module', '--eval', installing], {
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    return { code, complaint };
  });
  for (const { code, complaint } of await Promise.all(endings)) assert.equal(code, 0, complaint);
});
