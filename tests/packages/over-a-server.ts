/** Runs the packed program against a server: the commands of its page, in order. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { until } from '@audiosplit/chassis/testing/until';
import { Webhook } from 'standardwebhooks';
import type { ObservedRun } from '../harness/installation/observed-run.ts';
import { openGuideStore } from '../harness/servers/guide-store.ts';
import { blocksToRun } from './guide-blocks.ts';
import type { BareMachine } from './packed-packages.ts';

const PAGE = 'command-line.md';

export function describeOverServer(
  machine: BareMachine,
  folderWithTalk: (name: string) => Promise<string>,
  server: () => ObservedRun,
): void {
  describe('over a server', () => {
    let run: ObservedRun;
    let env: Record<string, string>;
    const stack = new AsyncDisposableStack();
    before(async () => {
      run = server();
      const store = stack.use(await openGuideStore());
      const { email, password } = run.credentials;
      env = {
        AUDIOSPLIT_URL: run.baseUrl,
        AUDIOSPLIT_KEY: run.apiKey,
        AUDIOSPLIT_EMAIL: email,
        AUDIOSPLIT_PASSWORD: password,
        HOOK_URL: `${run.receiver.url}/hook`,
        ...store.env,
      };
    });
    after(() => stack.disposeAsync());

    test('the commands of the guide run unchanged', async () => {
      const folder = await folderWithTalk('server');
      const blocks = (await blocksToRun(PAGE)).map(({ text }) => text);
      const [listening, others] = [
        blocks.filter((text) => text.includes('webhooks listen')),
        blocks.filter((text) => !text.includes('webhooks listen')),
      ];
      assert.deepEqual([listening.length, others.length], [1, 6]);
      const { code, stdout, stderr } = await machine.run(['bash', '-ec', others.join('\n')], 'server', {
        env,
      });
      assert.equal(code, 0, `${stdout}\n${stderr}`);
      assert.match(
        stdout,
        /is stored in .*5 segments, mp3.*job_\w+ {2}completed .*is deleted.*ask_.*laptop.*cost.*archive is connected.*delete {2}works\ns3:\/\/audio\/podcasts\/segments\/job_\w+\/tour-0\.mp3\ns3:.*2 segments, mp3.*archive is removed/s,
      );
      const names = [...[0, 1, 2, 3, 4].map((n) => `talk-${n}.mp3`), 'manifest.json'];
      for (const each of ['parts', 'again']) {
        assert.deepEqual((await readdir(join(folder, each))).sort(), names.toSorted());
      }
      const [one, other] = await Promise.all(
        ['parts', 'again'].map((each) => readFile(join(folder, each, 'talk-3.mp3'))),
      );
      assert.ok(one !== undefined && other !== undefined && one.equals(other));
      await events(listening[0] ?? '');
    });

    /** The signatures are those of the signed-in account. */
    async function events(command: string): Promise<void> {
      const { body } = await run.call('GET /api/v1/webhooks/secret', run.withToken);
      const stop = new AbortController();
      const listening = machine.run(['bash', '-ec', `exec ${command}`], 'server', {
        env,
        signal: stop.signal,
      });
      const { accepted, received } = run.receiver;
      await until(async () => {
        await run.split({ sourceUrl: `${run.baseUrl}/samples/tour.mp3` });
        return accepted.length >= 2;
      }, 'both events are forwarded');
      stop.abort();
      const { stdout } = await listening;
      assert.match(stdout, /split\.processing job_\w+ → 204\n.*split\.completed job_\w+ → 204\n/);
      const { headers, body: sent } = received.at(-1) ?? assert.fail();
      new Webhook(body.secret).verify(sent, headers as Record<string, string>);
    }

    test('an interrupted download resumes', async () => {
      const { id } = await run.split({ sourceUrl: `${run.baseUrl}/samples/tour.mp3`, segmentDuration: 20 });
      // The state that a process leaves when it is killed midway.
      const script = `audiosplit jobs download ${id} --out whole
        mkdir -p parts/.part-${id}
        head -c 100000 whole/tour-0.mp3 > parts/.part-${id}/.segment-0.part
        audiosplit jobs download ${id} --out parts
        diff -r whole parts`;
      const { code, stdout, stderr } = await machine.run(['bash', '-ec', script], 'resumed', { env });
      assert.equal(code, 0, `${stdout}\n${stderr}`);
    });
  });
}
