/**
 * Runs the TypeScript page's programs against a server: with the types of the packed client, compiled, on a
 * bare Node.
 */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ObservedRun } from '../harness/installation/observed-run.ts';
import { startTranscriber } from '../harness/servers/transcriber.ts';
import { compileCommand } from './compile-command.ts';
import { blocksToRun } from './guide-blocks.ts';
import type { BareMachine } from './packed-packages.ts';

const WHERE = 'typescript';

export function describeTypeScript(
  machine: BareMachine,
  folderWithTalk: (name: string) => Promise<string>,
  server: () => ObservedRun,
): void {
  describe('the programs of the guide for TypeScript', () => {
    let folder: string;
    let env: Record<string, string>;
    const names: string[] = [];
    const started = new Set<string>();
    before(async () => {
      folder = await folderWithTalk(WHERE);
      for (const { fileName = '', text } of await blocksToRun('typescript.md')) {
        await writeFile(join(folder, fileName), text);
        names.push(fileName);
      }
      const programs = names.filter((name) => name.endsWith('.ts'));
      const { code, stdout } = await machine.run(compileCommand(...programs), WHERE);
      assert.equal(code, 0, stdout);
      env = {
        AUDIOSPLIT_URL: server().baseUrl,
        AUDIOSPLIT_KEY: server().apiKey,
        SOURCE_URL: `${server().baseUrl}/samples/tour.mp3`,
      };
    });
    after(() => assert.deepEqual([...started].sort(), names.toSorted(), 'no test runs it'));

    const run = async (name: string, { node = 'node', more = {} } = {}) => {
      started.add(name);
      const command = [node, name.replace(/\.ts$/, '.js')] as const;
      const { code, stdout, stderr } = await machine.run(command, WHERE, { env: { ...env, ...more } });
      assert.equal(code, 0, stderr);
      return stdout.trimEnd().split('\n');
    };

    test('split.ts splits a file and downloads the segments', async () => {
      const lines = (await run('split.ts')).filter((line) => !/^\d+ %$/.test(line));
      assert.deepEqual(
        lines,
        [0, 1, 2, 3, 4].map((n) => `talk-${n}.mp3 ${n * 10}`),
      );
      assert.equal((await readdir(join(folder, 'parts'))).length, 5);
    });

    test('plan.ts shows the cuts at silences and chapters', async () => {
      assert.deepEqual((await run('plan.ts')).slice(-2), ['0 1 Welcome.mp3', '20 2 The interview.mp3']);
    });

    test("transcribe.ts makes one transcript of a service's responses", async () => {
      await using transcriber = await startTranscriber('a key');
      const more = { TRANSCRIBE_URL: transcriber.url, TRANSCRIBE_KEY: 'a key' };
      assert.match((await run('transcribe.ts', { more })).join('\n'), /^The first of tour-0\.mp3\./);
      assert.match(await readFile(join(folder, 'lecture.srt'), 'utf8'), /^1\n00:00:00,250 --> /);
    });

    test('refused.ts explains why the API rejected a call', async () => {
      assert.deepEqual(await run('refused.ts'), ['INVALID_PARAMS parts must be at most 1000']);
    });

    test('digits.js keeps every digit of the metadata, if the runtime can', async () => {
      const lines = await run('digits.js', { node: process.execPath });
      assert.deepEqual(lines, ['{ trackId: 12345678901234567890n }']);
    });
  });
}
