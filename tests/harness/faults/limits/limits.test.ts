import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stackOfFile } from '../../stack-of-file.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { createMemoryGroup } from './memory-group.ts';
import { mountScratchDisk } from './scratch-disk.ts';

/** Containers may run as root and still be refused. */
function refusalOf(attempt: () => Disposable): string | false {
  try {
    attempt()[Symbol.dispose]();
    return false;
  } catch (error) {
    return (error as Error).message;
  }
}

const { path: folder } = stackOfFile().use(await temporaryFolder());
const groupName = `audiosplit-chaos-test-${process.pid}`;
const noDisk = refusalOf(() => mountScratchDisk(join(folder, 'try')));
const noGroup = refusalOf(() => createMemoryGroup(groupName));

test('a full disk accepts no further byte until space is freed', { skip: noDisk }, () => {
  using disk = mountScratchDisk(join(folder, 'disk'));
  mkdirSync(disk.scratchDir);
  const file = join(disk.scratchDir, 'segment');
  {
    using _full = disk.fill();
    assert.throws(() => writeFileSync(file, 'x'), { code: 'ENOSPC' });
  }
  writeFileSync(file, 'x');
});

test('a process that grows is killed at the limit, and the next one works', { skip: noGroup }, async () => {
  using group = createMemoryGroup(groupName);
  const join_ = `require('node:fs').writeFileSync(process.argv[1], String(process.pid));`;
  const start = (script: string) =>
    spawn(process.execPath, ['-e', join_ + script, group.membersFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const growing = start(
    `const held = []; setInterval(() => held.push(Buffer.alloc(1e6, 1)), 10); console.log('joined')`,
  );
  const ended = once(growing, 'exit');
  await once(growing.stdout, 'data');
  const { limitBytes } = await group.killByLimit(20_000);
  assert.ok(limitBytes > 0);
  assert.deepEqual(await ended, [null, 'SIGKILL']);
  assert.deepEqual(await once(start(''), 'exit'), [0, null]);
});
