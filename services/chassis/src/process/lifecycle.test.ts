/** How the project's processes start, stop and fail, seen from outside. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

const LIFECYCLE = resolve(import.meta.dirname, 'lifecycle.ts');

function startProcess(start: string, stopTimeoutMs = 5_000) {
  const program = `
    import { runProcess, StartError } from ${JSON.stringify(LIFECYCLE)};
    await runProcess({ name: 'tested', stopTimeoutMs: () => ${stopTimeoutMs}, start: ${start} });
  `;
  const child = spawn(
    process.execPath,
    ['--conditions=audiosplit-source', '--input-type=module-typescript', '-e', program],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  }
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  return { child, exited, output: () => output };
}

async function untilReady(child: ChildProcess): Promise<void> {
  if (child.stdout) await once(child.stdout, 'data');
}

const disposing = (body: string) =>
  `async () => { setInterval(() => {}, 1000); process.stdout.write('ready\\n'); return { async [Symbol.asyncDispose]() { ${body} } }; }`;

describe('a process', () => {
  test('stops on SIGTERM: disposes, and exits with 0', async () => {
    const { child, exited, output } = startProcess(disposing("process.stdout.write('disposed')"));
    await untilReady(child);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    assert.match(output(), /disposed/);
  });

  test('a signal that is sent twice at once, as to a process group, counts once', async () => {
    const { child, exited, output } = startProcess(
      disposing("await new Promise((done) => setTimeout(done, 300)); process.stdout.write('disposed')"),
    );
    await untilReady(child);
    child.kill('SIGINT');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    assert.match(output(), /disposed/);
  });

  test('a later second signal ends it at once', async () => {
    const { child, exited } = startProcess(disposing('await new Promise(() => {})'), 60_000);
    await untilReady(child);
    child.kill('SIGINT');
    await sleep(700);
    child.kill('SIGINT');
    assert.deepEqual(await exited, [130, null]);
  });

  test('a stop that hangs is ended after a limit', async () => {
    const { child, exited, output } = startProcess(disposing('await new Promise(() => {})'), 100);
    await untilReady(child);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [1, null]);
    assert.match(output(), /tested: did not stop within 0\.1 s/);
  });

  test('a start that hangs is ended after a limit as well, once the process has to stop', async () => {
    const { child, exited, output } = startProcess(
      "async () => { process.stdout.write('starting\\n'); setInterval(() => {}, 1000); return new Promise(() => {}); }",
      100,
    );
    await untilReady(child);
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [1, null]);
    assert.match(output(), /did not stop within 0\.1 s/);
  });

  test('a start that cannot succeed logs one line and exits with 1', async () => {
    const { exited, output } = startProcess("async () => { throw new StartError('PORT 80 is taken'); }");
    assert.deepEqual(await exited, [1, null]);
    assert.equal(output(), 'tested: PORT 80 is taken\n');
  });

  for (const [what, fault] of [
    ['an uncaught error', "setTimeout(() => { throw new Error('a stray timer'); }, 20)"],
    ['an unhandled rejection', "setTimeout(() => { Promise.reject(new Error('a stray timer')); }, 20)"],
  ] as const) {
    test(`${what} is logged, and the process exits with 1 at once`, async () => {
      const { exited, output } = startProcess(
        `async () => { ${fault}; setInterval(() => {}, 1000); return { async [Symbol.asyncDispose]() { process.stdout.write('disposed'); } }; }`,
      );
      assert.deepEqual(await exited, [1, null]);
      const entry = JSON.parse(output());
      assert.deepEqual([entry.level, entry.service, entry.err.message], [60, 'tested', 'a stray timer']);
      assert.match(entry.err.stack, /a stray timer/);
    });
  }

  for (const [signal, word] of [
    ['SIGTERM', 'in time'],
    ['SIGINT', 'in haste'],
  ] as const) {
    test(`${signal} is a stop ${word}`, async () => {
      const { child, exited, output } = startProcess(
        `async (fatal, inHaste) => { setInterval(() => {}, 1000); process.stdout.write('ready\\n'); return { async [Symbol.asyncDispose]() { process.stdout.write(inHaste.aborted ? 'in haste' : 'in time'); } }; }`,
      );
      await untilReady(child);
      child.kill(signal);
      assert.deepEqual(await exited, [0, null]);
      assert.equal(output(), `ready\n${word}`);
    });
  }

  test('a part that dies stops the process in order, with 1, so that it is restarted', async () => {
    const { exited, output } = startProcess(
      "async (fatal) => { setTimeout(() => fatal(new Error('the consumer is gone')), 50); return { async [Symbol.asyncDispose]() { process.stdout.write('disposed'); } }; }",
    );
    assert.deepEqual(await exited, [1, null]);
    assert.match(output(), /tested: the consumer is gone\n/);
    assert.match(output(), /disposed/);
  });
});
