/** The pages of the packages, as their registries show them. */
import assert from 'node:assert/strict';
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { repositoryRoot } from '../../deploy/launcher.mjs';
import { NPM_PACKAGES } from '../../deploy/release/published.ts';
import { compileCommand } from './compile-command.ts';
import type { BareMachine } from './packed-packages.ts';

/** The length of one screen. */
const MAX_LINES = 60;
const PROGRAM = /^```ts\n(.*?)^```$/gms;

export function describeReadmes(
  machine: BareMachine,
  folderWithTalk: (name: string) => Promise<string>,
): void {
  const readPage = (folder: string) => readFile(join(repositoryRoot, folder, 'README.md'), 'utf8');

  describe('the pages of the packages', () => {
    for (const folder of [...NPM_PACKAGES, 'clients/python']) {
      test(`the page of ${folder} fits on one screen`, async () => {
        assert.ok((await readPage(folder)).split('\n').length <= MAX_LINES);
      });
    }

    test('have programs that compile, and run if they need no server', async () => {
      const folder = await folderWithTalk('readmes');
      const programs: string[] = [];
      for (const each of NPM_PACKAGES) {
        const name = `${each.split('/').at(-1)}.ts`;
        const [program] = [...(await readPage(each)).matchAll(PROGRAM)].map(([, text = '']) => text);
        if (program === undefined) continue;
        await writeFile(join(folder, name), program);
        programs.push(name);
      }
      assert.deepEqual(programs, ['cuts.ts', 'engine.ts', 'typescript.ts', 'mcp.ts']);
      const compiled = await machine.run(compileCommand(...programs), 'readmes');
      assert.equal(compiled.code, 0, compiled.stdout);
      const cuts = await machine.run(['node', 'cuts.js'], 'readmes');
      assert.match(cuts.stdout, /splitMode: 'ranges'/, cuts.stderr);
      await copyFile(join(folder, 'talk.mp3'), join(folder, 'talk.m4a'));
      const engine = await machine.run(['node', 'engine.js'], 'readmes');
      assert.match(engine.stdout, /^\d+ segments\n.*\/parts\/talk-000\.mp3 0 /, engine.stderr);
      assert.ok((await readdir(join(folder, 'parts'))).length > 0);
    });
  });
}
