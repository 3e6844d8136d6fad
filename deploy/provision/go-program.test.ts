import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderOf } from './go-program.ts';

const plain = { name: 'tool', package: 'example.com/tool', version: '1.2.3', minimumGo: '1.26' };
const recipe = { module: 'example.com/tool', tags: 'small' };

test('the folder of an unchanged program is named after its version', async () => {
  assert.equal(await folderOf(plain), 'tool-1.2.3');
});

test('a program with a recipe is built again only when the recipe changes', async () => {
  const folder = await folderOf({ ...plain, inModule: recipe });
  assert.match(folder, /^tool-1\.2\.3-[0-9a-f]{8}$/);
  assert.equal(await folderOf({ ...plain, inModule: { ...recipe } }), folder);
  for (const change of [
    { tags: '' },
    { replacements: ['example.com/a=example.com/b@v1.0.0'] },
    { requirements: ['example.com/c@v1.0.0'] },
    { changedModules: { d: 'example.com/d@v1.0.0' } },
  ]) {
    assert.notEqual(await folderOf({ ...plain, inModule: { ...recipe, ...change } }), folder);
  }
});

for (const kind of ['sources', 'modules'] as const) {
  test(`a program is also built again when our own ${kind} change, in any checkout`, async () => {
    using dir = mkdtempDisposableSync(join(tmpdir(), 'audiosplit-go-program-'));
    const write = (checkout: string, source: string) => {
      const folder = join(dir.path, checkout);
      mkdirSync(join(folder, 'pause'), { recursive: true });
      writeFileSync(join(folder, 'pause/main.go'), source);
      return folderOf({ ...plain, inModule: { ...recipe, [kind]: folder } });
    };
    const one = await write('one', 'package main');
    assert.equal(await write('same', 'package main'), one);
    assert.notEqual(await write('other', 'package main // changed'), one);
  });
}
