/**
 * `npm run verify -- packages`: makes a release without publishing it, installs it on a bare Node 20 and from
 * the wheel, and checks it against the statements of its pages.
 */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { releaseVersion } from '../../deploy/release/published.ts';
import { compileCommand } from './compile-command.ts';
import { blocksToRun } from './guide-blocks.ts';
import { describeN8nNodes } from './n8n.ts';
import { describeOverServer } from './over-a-server.ts';
import { openBareMachine } from './packed-packages.ts';
import { describePython } from './python.ts';
import { describeReadmes } from './readmes.ts';
import { openServer } from './server.ts';
import { describeTypeScript } from './typescript.ts';

const TALK = join(repositoryRoot, 'deploy/embedded/samples/tour.mp3');

const machine = await openBareMachine();
after(() => machine[Symbol.asyncDispose]());

async function folderWithTalk(name: string): Promise<string> {
  const folder = join(machine.folder, name);
  await mkdir(folder, { recursive: true });
  await copyFile(TALK, join(folder, 'talk.mp3'));
  return folder;
}

describe('a release', () => {
  test('`npm run release -- --dry-run` shows what would be published where, and publishes nothing', async () => {
    const { printed } = machine.release;
    const version = (await releaseVersion()).replaceAll('.', '\\.');
    for (const line of [
      `npm +audiosplit-${version}\\.tgz .* https://registry\\.npmjs\\.org/`,
      `wheel +audiosplit-${version}-py3-none-any\\.whl .* https://upload\\.pypi\\.org/legacy/`,
      `sdist +audiosplit-${version}\\.tar\\.gz .*`,
      `chart +audiosplit-${version}\\.tgz .* oci://REGISTRY/charts`,
      `image +audiosplit-gateway:${version} +REGISTRY/audiosplit-gateway:${version}`,
      `All checks of ${version} have passed\\. Nothing was published\\.`,
    ])
      assert.match(printed, new RegExp(`^${line}$`, 'm'));
  });
});

describe('on a bare Node 20', () => {
  test('the runtime is Node 20', async () => {
    const { stdout } = await machine.run(['node', '--version'], 'bare');
    assert.match(stdout, /^v20\./);
  });

  test('npx audiosplit runs, and prints its version and its commands', async () => {
    const version = await machine.run(['npx', '--offline', 'audiosplit', '--version'], 'bare');
    assert.equal(version.stdout.trim(), await releaseVersion(), version.stderr);
    const help = await machine.run(['npx', '--offline', 'audiosplit', '--help'], 'bare');
    assert.match(help.stdout, /^Usage: audiosplit <command>/);
    assert.equal(help.code, 0);
  });

  test('the types of the engine exist and compile', async () => {
    const folder = await folderWithTalk('types');
    await writeFile(
      join(folder, 'use.ts'),
      `import { plan, split, type WrittenSegment } from '@audiosplit/engine';
const segments: WrittenSegment[] = [];
for await (const each of split('talk.mp3', { splitMode: 'ranges', ranges: [{ start: '0:01' }] }, { to: 'x' }))
  segments.push(each);
export const count: number = (await plan('talk.mp3', { splitMode: 'parts', parts: 2 })).segmentCount;
// @ts-expect-error a mode that there is not
void plan('talk.mp3', { splitMode: 'thirds' });
`,
    );
    const { code, stdout } = await machine.run(compileCommand('--noEmit', 'use.ts'), 'types');
    assert.equal(code, 0, stdout);
  });

  test('the commands and the program of the guide run unchanged', async () => {
    const folder = await folderWithTalk('guide');
    const blocks = await blocksToRun('own-machine.md');
    assert.ok(blocks.length >= 4);
    for (const { language, text, fileName = '' } of blocks) {
      if (language !== 'sh') await writeFile(join(folder, fileName), text);
      const command = language === 'sh' ? (['bash', '-ec', text] as const) : (['node', fileName] as const);
      const { code, stdout, stderr } = await machine.run(command, 'guide');
      assert.equal(code, 0, `${text}\n${stdout}\n${stderr}`);
    }
    assert.deepEqual(
      await readdir(join(folder, 'parts')),
      [0, 1, 2, 3, 4].map((n) => `talk-00${n}.mp3`),
    );
    assert.equal((await readdir(join(folder, 'spoken'))).length, 2);
    assert.equal((await readdir(join(folder, 'fifteen'))).length, 4);
    assert.deepEqual((await readdir(join(folder, 'speech'))).map((name) => name.split('.').at(-1)).sort(), [
      'json',
      'mp3',
    ]);
    assert.match(
      await readFile(join(folder, 'talk.srt'), 'utf8'),
      /^1\n00:00:00,000 --> .*\nGood morning\.\n/,
    );
  });
});

test('audiosplit mcp plans a file for an agent', async () => {
  await folderWithTalk('agent');
  const params = { name: 'plan_split', arguments: { path: 'talk.mp3', splitMode: 'parts', parts: 3 } };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  const script = `mkfifo in; audiosplit mcp <in >out & exec 3>in
    echo '${message}' >&3; until grep -q '"id":1' out; do sleep .1; done
    exec 3>&-; wait $!; cat out`;
  const { code, stdout, stderr } = await machine.run(['bash', '-ec', script], 'agent');
  assert.equal(code, 0, stderr);
  assert.equal(JSON.parse(stdout).result.structuredContent.segmentCount, 3);
});

describe('audiosplit cut', () => {
  const cut = (where: string, ...args: readonly string[]) =>
    machine.run(['audiosplit', 'cut', ...args], where);

  test('accepts several files and patterns, with one folder for each', async () => {
    const folder = await folderWithTalk('several');
    await copyFile(TALK, join(folder, 'other.mp3'));
    const { code, stderr } = await cut('several', '*.mp3', '--every', '30', '-o', 'parts');
    assert.equal(code, 0, stderr);
    assert.deepEqual((await readdir(join(folder, 'parts'))).sort(), ['other', 'talk']);
  });

  test('shows no progress without a terminal', async () => {
    await folderWithTalk('quiet');
    assert.equal((await cut('quiet', 'talk.mp3', '--every', '30')).stderr, '');
  });

  test('exits with 2 and writes nothing on wrong usage', async () => {
    const folder = await folderWithTalk('wrong');
    for (const args of [[], ['--every', '0'], ['--every', '10', '--overlap', '5'], ['--nonsense']]) {
      const { code, stderr } = await cut('wrong', 'talk.mp3', ...args);
      assert.equal(code, 2, stderr);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
    assert.deepEqual(await readdir(folder), ['talk.mp3']);
  });

  test('exits with 1 if a source fails, and cuts the others', async () => {
    const folder = await folderWithTalk('failing');
    await writeFile(join(folder, 'text.mp3'), 'no sound');
    const { code, stderr } = await cut('failing', 'text.mp3', 'talk.mp3', '--every', '30', '-o', 'parts');
    assert.equal(code, 1);
    assert.match(stderr, /text\.mp3: UNSUPPORTED_MEDIA: .*\n1 of 2 sources failed\n/);
    assert.deepEqual(await readdir(join(folder, 'parts')), ['talk']);
  });

  test('overwrites nothing without --force', async () => {
    const folder = await folderWithTalk('twice');
    assert.equal((await cut('twice', 'talk.mp3', '--every', '30', '-o', '.')).code, 0);
    await writeFile(join(folder, 'talk-000.mp3'), 'mine');
    const again = await cut('twice', 'talk.mp3', '--every', '30', '-o', '.');
    assert.equal(again.code, 1);
    assert.match(again.stderr, /exists: .*--force/);
    assert.equal(await readFile(join(folder, 'talk-000.mp3'), 'utf8'), 'mine');
    assert.equal((await cut('twice', 'talk.mp3', '--every', '30', '-o', '.', '--force')).code, 0);
    assert.ok((await stat(join(folder, 'talk-000.mp3'))).size > 100_000);
  });

  test('leaves no half-written file after Ctrl-C', async () => {
    const folder = await folderWithTalk('interrupted');
    const script = `(head -c 500000 talk.mp3; sleep 30) | audiosplit cut - --every 1 -o parts & cutting=$!
      until ls parts/stdin-000.mp3 2>/dev/null; do sleep .05; done
      kill -INT $cutting; code=0; wait $cutting || code=$?; exit $code`;
    const { code, stderr } = await machine.run(['bash', '-c', script], 'interrupted');
    assert.equal(code, 130, stderr);
    const names = await readdir(join(folder, 'parts'));
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => !/^stdin-\d{3}\.mp3$/.test(name)),
      [],
    );
  });

  test('copies without an ffmpeg, and reports what is missing if it must encode', async () => {
    await folderWithTalk('without');
    const without = (...args: readonly string[]) =>
      machine.run(
        ['env', 'FFMPEG_PATH=/nowhere', 'audiosplit', 'cut', 'talk.mp3', '--every', '30', ...args],
        'without',
      );
    assert.equal((await without()).code, 0);
    const encoded = await without('--to', 'flac', '-o', 'flac');
    assert.equal(encoded.code, 1);
    assert.match(encoded.stderr, /^FFMPEG_PATH is "\/nowhere"/);
  });
});

describeReadmes(machine, folderWithTalk);
describeN8nNodes(machine);

const server = await openServer();
after(() => server[Symbol.asyncDispose]());
describeOverServer(machine, folderWithTalk, () => server.run);
describeTypeScript(machine, folderWithTalk, () => server.run);
const pythonFolder = join(machine.folder, 'python-package');
await mkdir(pythonFolder);
const { wheel } = machine.release;
await describePython({ wheel, folder: pythonFolder, folderWithTalk, server: () => server.run });
