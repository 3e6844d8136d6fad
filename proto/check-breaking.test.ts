import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

const SCRIPT = join(import.meta.dirname, 'check-breaking.mjs');
const EVENTS = 'audiosplit/events/v1/events.proto';

let dir: string;
let released: string;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'audiosplit-proto-'));
  for (const name of ['audiosplit', 'grpc', 'buf.yaml', 'baseline.binpb']) {
    await cp(join(import.meta.dirname, name), join(dir, name), { recursive: true });
  }
  released = await readFile(join(dir, EVENTS), 'utf8');
});
after(() => rm(dir, { recursive: true }));

function check(...flags: string[]): Promise<{ exitCode: number; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [SCRIPT, '--dir', dir, ...flags], (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

async function change(from: string, to: string): Promise<void> {
  assert.ok(released.includes(from), `${EVENTS} has no ${from}`);
  await writeFile(join(dir, EVENTS), released.replace(from, to));
}

test('additions pass, and are protected once they are accepted', async () => {
  await change('bool revoked = 2;', 'bool revoked = 2;\n  bool expired = 3;');
  assert.equal((await check()).exitCode, 0);
  assert.equal((await check('--accept')).exitCode, 0);
  await writeFile(join(dir, EVENTS), released);
  assert.equal((await check()).exitCode, 1);
  const meant = await check('--accept', '--breaking');
  assert.equal(meant.exitCode, 0, meant.output);
  assert.equal((await check()).exitCode, 0);
});

for (const [what, from, to] of [
  ['a field that is removed without a reservation', '  bool revoked = 2;\n', ''],
  ['another type of a field', 'bool revoked = 2;', 'string revoked = 2;'],
  ['another number of a field', 'bool revoked = 2;', 'bool revoked = 3;'],
  ['another name in JSON', 'bool revoked = 2;', 'bool withdrawn = 2;'],
] as const) {
  test(`${what} is rejected, with what to do instead`, async () => {
    await change(from, to);
    for (const flags of [[], ['--accept']]) {
      const { exitCode, output } = await check(...flags);
      assert.equal(exitCode, 1);
      assert.match(output, /events\.proto/);
      assert.match(output, /generate -- proto:accept --breaking/);
    }
  });
}
