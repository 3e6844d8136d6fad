/** The Python client: its generated files, its types, its wheel, and its page's programs against a server. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { freePort } from '../../deploy/provision/free-port.ts';
import { reportedTask, reportTo } from '../../deploy/provision/progress.ts';
import { GENERATED, PYTHON_CLIENT } from '../../deploy/python-client/environment.ts';
import { renderPythonClient } from '../../deploy/python-client/render.ts';
import { releaseVersion } from '../../deploy/release/published.ts';
import type { Client } from '../clients/case.ts';
import { describeClient } from '../clients/describe-client.ts';
import type { ObservedRun } from '../harness/installation/observed-run.ts';
import { startTranscriber } from '../harness/servers/transcriber.ts';
import { blocksToRun } from './guide-blocks.ts';
import { installWheel } from './python-package.ts';

const CASES = join(repositoryRoot, 'tests/clients/python_client.py');
/** Each is 48 seconds long; together they exceed the 1,400 seconds that the service accepts. */
const LECTURE_TALKS = 30;
const PYRIGHT = createRequire(import.meta.url).resolve('pyright');

interface Surroundings {
  readonly wheel: string;
  /** Empty. */
  readonly folder: string;
  readonly folderWithTalk: (name: string) => Promise<string>;
  readonly server: () => ObservedRun;
}

export async function describePython({ wheel, folder, folderWithTalk, server }: Surroundings): Promise<void> {
  const task = reportedTask('Python', reportTo(process.stderr), new AbortController().signal);
  const built = await installWheel(wheel, folder, task);

  describe('the Python client', () => {
    test('has the version of the root', async () => {
      const print = ['-c', 'import audiosplit; print(audiosplit.__version__)'];
      assert.equal((await built.run(print, { cwd: folder })).trim(), await releaseVersion());
    });

    test('its generated files match the description; otherwise run `npm run generate -- python`', async () => {
      for (const [name, text] of await renderPythonClient(built.python, task))
        assert.equal(await readFile(join(GENERATED, name), 'utf8'), text, name);
    });

    test('mypy --strict and pyright report nothing', async () => {
      const paths = [...['src', 'tests'].map((name) => join(PYTHON_CLIENT, name)), CASES];
      await built.run(['-m', 'mypy', '--cache-dir', join(folder, 'mypy'), ...paths], { cwd: PYTHON_CLIENT });
      const pyright = [PYRIGHT, '--project', PYTHON_CLIENT, '--pythonpath', built.python];
      const { status, stdout } = spawnSync(process.execPath, pyright, { encoding: 'utf8' });
      assert.equal(status, 0, stdout);
    });

    test('its own tests pass with the wheel', async () => {
      const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', join(PYTHON_CLIENT, 'tests')];
      await built.run(args, { cwd: folder });
    });
  });

  for (const kind of ['sync', 'async']) {
    const client: Client = async (journeys) => {
      const input = JSON.stringify(journeys);
      const { outcomes, from } = JSON.parse(await built.run([CASES, kind], { cwd: folder, input }));
      assert.ok(from.startsWith(folder), `${from} is not the wheel`);
      return outcomes;
    };
    await describeClient(`the ${kind} Python client`, client);
  }

  describe('the programs of the guide for Python', () => {
    let env: Record<string, string>;
    let where: string;
    let programs: ReadonlyMap<string, string>;
    before(async () => {
      where = await folderWithTalk('python');
      const blocks = await blocksToRun('python.md');
      programs = new Map(blocks.map(({ fileName = '', text }) => [fileName, text]));
      for (const [name, text] of programs) await writeFile(join(where, name), text);
      const { body } = await server().call('GET /api/v1/webhooks/secret', server().withToken);
      env = {
        AUDIOSPLIT_URL: server().baseUrl,
        AUDIOSPLIT_KEY: server().apiKey,
        AUDIOSPLIT_WEBHOOK_SECRET: body.secret,
      };
    });
    const started = new Set<string>();
    const run = async (name: string, more: Record<string, string> = {}) => {
      started.add(name);
      return (await built.run([name], { cwd: where, env: { ...env, ...more } })).trimEnd().split('\n');
    };
    after(() => assert.deepEqual(started, new Set(programs.keys()), 'no test runs it'));

    test('split.py splits a file and downloads the segments', async () => {
      const lines = await run('split.py');
      assert.ok(lines.length > 4);
      assert.equal((await readdir(join(where, 'parts'))).length, lines.length);
    });

    test('many.py splits several files at once', async () => {
      const lines = await run('many.py');
      assert.equal(lines.length, 2);
      for (const line of lines) assert.match(line, /^job_\w+ 4$/);
    });

    test('batch.py splits many files with one setting, into one archive', async () => {
      assert.deepEqual(await run('batch.py'), ['completed None', 'completed None', 'batch.zip']);
      assert.equal((await readFile(join(where, 'batch.zip'))).toString('latin1', 0, 2), 'PK');
    });

    test('refused.py explains why the API rejected a call', async () => {
      assert.deepEqual(await run('refused.py'), ['parts must be at most 1000']);
    });

    test('failed.py lists the failures', async () => {
      await server().split({ sourceUrl: `${server().baseUrl}/samples/none.mp3` });
      assert.match((await run('failed.py'))[0] ?? '', /^job_\w+ SOURCE_UNREACHABLE$/);
    });

    test('transcribe.py makes one transcript of a lecture that is too long for the service', async () => {
      await using transcriber = await startTranscriber('a key');
      const [file, service] = [
        join(where, 'lecture.mp3'),
        { TRANSCRIBE_URL: transcriber.url, TRANSCRIBE_KEY: 'a key' },
      ];
      await writeFile(
        file,
        Buffer.concat(Array(LECTURE_TALKS).fill(await readFile(join(where, 'talk.mp3')))),
      );
      const form = new FormData();
      form.set('file', new File([await readFile(file)], 'lecture.mp3'));
      const headers = { authorization: 'Bearer a key' };
      const refused = await fetch(transcriber.url, { method: 'POST', headers, body: form });
      assert.match(await refused.text(), /audio duration 14\d\d.* seconds is longer than 1400 seconds/);
      // The first line of the second file lies in the overlap.
      const [one, other] = ['lecture-0.mp3', 'lecture-1.mp3'];
      assert.deepEqual(await run('transcribe.py', service), [
        ...[`The first of ${one}.`, `The second of ${one}.`, `The second of ${other}.`],
      ]);
      const cues = (await readFile(join(where, 'lecture.srt'), 'utf8')).trimEnd().split('\n\n');
      assert.deepEqual(cues[0]?.split('\n'), ['1', '00:00:00,250 --> 00:00:01,000', `The first of ${one}.`]);
      assert.match(cues[2] ?? '', /^3\n00:2[23]:/);
    });

    test('hook.py accepts only signed notifications', async () => {
      started.add('hook.py');
      const PORT = String(await freePort());
      let said = '';
      const stop = new AbortController();
      const running = built.run(['hook.py'], {
        cwd: where,
        env: { ...env, PORT, PYTHONUNBUFFERED: '1' },
        onStart(child) {
          child.stdout?.on('data', (chunk) => {
            said += chunk;
          });
          stop.signal.addEventListener('abort', () => child.kill());
        },
      });
      const url = `http://127.0.0.1:${PORT}/`;
      await until(async () => (await post(url)) === 401, 'what is not signed is refused');
      await server().split({ sourceUrl: `${server().baseUrl}/samples/tour.mp3`, webhookUrl: url });
      await until(() => /split\.completed job_\w+/.test(said), 'the event is printed');
      stop.abort();
      await assert.rejects(running);
    });
  });
}

async function post(url: string): Promise<number | undefined> {
  const answer = await fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
  return answer?.status;
}
