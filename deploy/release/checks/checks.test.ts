import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { packageIn, task, temporaryFolder, writeFiles } from '../release.fixture.ts';
import { findChangelogProblems } from './changelog.ts';
import { findContentProblems } from './contents.ts';
import { findDependencyProblems } from './dependencies.ts';
import { findRepositoryProblems } from './repository.ts';
import { findStaleFiles } from './stale.ts';
import { findExportProblems, findTypeProblems } from './types.ts';

type Given = Parameters<typeof packageIn>[1];

async function onPackage<T>(
  given: Given,
  check: (packed: Awaited<ReturnType<typeof packageIn>>) => Promise<T>,
) {
  await using folder = await temporaryFolder();
  return await check(await packageIn(folder.path, given));
}

describe('the contents of a package', () => {
  const problems = (given?: Given) => onPackage(given, findContentProblems);

  test('are correct with licence, notice, changelog, page and manifest', async () => {
    assert.deepEqual(await problems(), []);
  });

  test('must include the licence and notice of the repository', async () => {
    const without = await onPackage({}, async (packed) => {
      await rm(join(packed.folder, 'NOTICE'));
      return await findContentProblems(packed);
    });
    assert.deepEqual(without, ['has no NOTICE']);
    assert.deepEqual(await problems({ files: { LICENSE: 'MIT' } }), [
      'has another LICENSE than the repository',
    ]);
    assert.match((await problems({ manifest: { license: 'MIT' } })).join(), /has the licence MIT/);
  });

  for (const path of [
    'index.test.js',
    'testing/until.js',
    'a.fixture.d.ts',
    'bench/main.js',
    'tests/test_a.py',
  ]) {
    test(`contain no test: ${path}`, async () => {
      assert.deepEqual(await problems({ files: { [path]: '' } }), [`has a test, or what it needs: ${path}`]);
    });
  }

  for (const path of ['src/index.ts', 'index.js.map', 'tsconfig.tsbuildinfo']) {
    test(`contain no source: ${path}`, async () => {
      assert.deepEqual(await problems({ files: { [path]: '' } }), [`has a source: ${path}`]);
    });
  }

  test('are not those of a private package', async () => {
    assert.deepEqual(await problems({ manifest: { private: true } }), ['is private']);
  });

  test('of a chart include its licence, and may include what `helm test` runs', async () => {
    const chart = {
      kind: 'chart',
      files: { 'Chart.yaml': '', 'values.yaml': '', 'values.schema.json': '', 'templates/tests/a.yaml': '' },
    } as const;
    assert.deepEqual(await problems(chart), []);
  });
});

test('include no compiled file without a source, except bundles', async () => {
  await using source = await temporaryFolder();
  await writeFiles(source.path, { 'src/index.ts': '', 'nodes/one.node.ts': '' });
  const paths = [
    'dist/index.js',
    'dist/index.d.ts',
    'dist/nodes/one.node.js',
    'dist/bundle/a.js',
    'dist/gone.js',
  ];
  const files = Object.fromEntries(paths.map((path) => [path, '']));
  const [problem = '', ...others] = await onPackage({ files }, (packed) =>
    findStaleFiles(packed, source.path),
  );
  assert.match(problem, /^has dist\/gone\.js, whose source is gone/);
  assert.deepEqual(others, []);
});

describe('the dependencies of a package', () => {
  const published = ['@audiosplit/one', '@audiosplit/two'];
  const problems = (given?: Given) =>
    onPackage(given, (packed) => findDependencyProblems(packed, published, '1.2.3'));

  test('are correct if each import is declared, built in, or in the package', async () => {
    const files = {
      'index.js':
        "import { a } from './a.js';\nimport fs from 'node:fs';\nexport * from '@audiosplit/two';\n",
      'a.js': 'export const a = 1;\n',
      'index.d.ts': "export declare const a: import('pino').Logger;\n",
    };
    const dependencies = { '@audiosplit/two': '1.2.3', pino: '10.4.0' };
    assert.deepEqual(await problems({ manifest: { dependencies }, files }), []);
  });

  test('on an unpublished package of the workspace are found', async () => {
    const dependencies = { '@audiosplit/chassis': '1.2.3' };
    assert.deepEqual(await problems({ manifest: { dependencies } }), [
      'depends on @audiosplit/chassis, which is not published',
    ]);
  });

  test('on another version of a sibling are found', async () => {
    const dependencies = { '@audiosplit/two': '^1.2.3' };
    assert.deepEqual(await problems({ manifest: { dependencies } }), [
      'depends on @audiosplit/two ^1.2.3, and not 1.2.3',
    ]);
  });

  test('on a folder or a workspace are found', async () => {
    for (const range of ['workspace:*', 'file:../pino'])
      assert.deepEqual(await problems({ manifest: { dependencies: { pino: range } } }), [
        `depends on pino ${range}, which no registry has`,
      ]);
  });

  test('that are not declared are found', async () => {
    const files = { 'index.js': "import {\n  a,\n} from 'pino/file';\nawait import('@scope/b');\n" };
    assert.deepEqual(await problems({ files }), [
      'index.js imports pino/file, which it does not declare',
      'index.js imports @scope/b, which it does not declare',
    ]);
  });

  test('that are missing from the package are found', async () => {
    const files = { 'index.js': "export * from './left-out.js';\n" };
    assert.deepEqual(await problems({ files }), ['index.js imports ./left-out.js, which is not in it']);
  });
});

describe('the exports of a package', () => {
  test('are correct if each exists, except those that only the repository reads', async () => {
    assert.deepEqual(await onPackage({}, findExportProblems), []);
  });

  test('that do not exist are found', async () => {
    const exports = { './*': { types: './dist/*.d.ts', default: './dist/*.js' } };
    const manifest = { exports, bin: { one: 'dist/main.js' } };
    assert.deepEqual(
      await onPackage({ manifest }, findExportProblems),
      ['./dist/*.d.ts', './dist/*.js', 'dist/main.js'].map(
        (path) => `names ${path} in its package.json, which is not in it`,
      ),
    );
  });

  test('have types that resolve, including those of their siblings', async () => {
    await using folder = await temporaryFolder();
    const two = {
      name: '@audiosplit/two',
      files: { 'index.d.ts': "export type { Logger } from 'no-such-package';\n" },
    };
    const consumer = join(folder.path, 'consumer');
    const right = [await packageIn(consumer)];
    assert.deepEqual(await findTypeProblems(right), []);
    const [problem = '', ...others] = await findTypeProblems([...right, await packageIn(consumer, two)]);
    assert.match(problem, /^types: node_modules\/@audiosplit\/two\/index\.d\.ts.*no-such-package/);
    assert.deepEqual(others, []);
  });
});

describe('the changelog', () => {
  const changelog = '# Changelog\n\n## 1.2.3\n\n- New.\n\n## 1.2.2\n';

  test('describes the changes of the version', () => {
    assert.deepEqual(findChangelogProblems(changelog, '1.2.3'), []);
    assert.deepEqual(findChangelogProblems(changelog, '1.2.2'), ['CHANGELOG.md says nothing of 1.2.2']);
    assert.deepEqual(findChangelogProblems(changelog, '1.2'), ['CHANGELOG.md has no section ## 1.2']);
  });
});

test('the repository is clean, and has no tag of the version yet', async () => {
  await using folder = await temporaryFolder();
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder.path,
    });
  git('init', '--quiet');
  await writeFiles(folder.path, { 'a.txt': '1' });
  const problems = () => findRepositoryProblems(folder.path, '1.2.3', task);
  assert.deepEqual(await problems(), ['1 files differ from the commit, such as a.txt']);
  git('add', '.');
  git('commit', '--quiet', '--message', 'One');
  assert.deepEqual(await problems(), []);
  git('tag', 'v1.2.3');
  assert.deepEqual(await problems(), ['there is a tag v1.2.3 already']);
});
