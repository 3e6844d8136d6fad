import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoryRoot } from '../launcher.mjs';
import { temporaryFolder, writeFiles } from './release.fixture.ts';
import { findVersionProblems, renderVersionFiles } from './version-files.ts';

const lock = {
  name: 'root',
  version: '0.1.0',
  packages: {
    '': { name: 'root', version: '0.1.0' },
    'clients/one': { name: 'one', version: '0.1.0', dependencies: { two: '0.1.0', pino: '0.1.0' } },
    'node_modules/pino': { version: '0.1.0' },
  },
};

async function renderedWith(version: string) {
  await using folder = await temporaryFolder();
  const manifest = (more: object) => `${JSON.stringify(more, null, 2)}\n`;
  await writeFiles(folder.path, {
    'package.json': manifest({ name: 'root', version, workspaces: ['clients/*'] }),
    'package-lock.json': manifest(lock),
    'clients/one/package.json': manifest(lock.packages['clients/one']),
    'clients/two/package.json': manifest({ name: 'two', version: '0.1.0' }),
    'clients/python/src/audiosplit/_version.py': '__version__ = "0.1.0"\n',
    'charts/audiosplit/Chart.yaml': 'version: 0.1.0\nappVersion: 0.1.0\nkubeVersion: ">=1.27.0-0"\n',
    'charts/audiosplit/README.md': 'Version 0.1.0, Kubernetes >=1.27.0-0.\n',
    'deploy/containers/Dockerfile': 'FROM node:26.10.0\nARG VERSION=0.1.0\n',
  });
  return { files: await renderVersionFiles(folder.path), problems: await findVersionProblems(folder.path) };
}

test('the version of the root is used everywhere', async () => {
  assert.deepEqual(await findVersionProblems(repositoryRoot), []);
});

test('a new version of the root is written to all our files, and to no others', async () => {
  const { files, problems } = await renderedWith('0.2.0-rc.1');
  const text = (path: string) => files.get(path) ?? assert.fail(path);
  const one = { name: 'one', version: '0.2.0-rc.1', dependencies: { two: '0.2.0-rc.1', pino: '0.1.0' } };
  assert.deepEqual(JSON.parse(text('clients/one/package.json')), one);
  const { version, packages } = JSON.parse(text('package-lock.json'));
  assert.deepEqual(
    [version, packages[''].version, packages['clients/one']],
    ['0.2.0-rc.1', '0.2.0-rc.1', one],
  );
  assert.equal(packages['node_modules/pino'].version, '0.1.0');
  assert.equal(text('clients/python/src/audiosplit/_version.py'), '__version__ = "0.2.0-rc.1"\n');
  assert.match(
    text('charts/audiosplit/Chart.yaml'),
    /^version: 0\.2\.0-rc\.1\nappVersion: 0\.2\.0-rc\.1\nkube.*1\.27\.0/,
  );
  assert.match(text('charts/audiosplit/README.md'), /^Version 0\.2\.0-rc\.1, Kubernetes >=1\.27\.0/);
  assert.equal(text('deploy/containers/Dockerfile'), 'FROM node:26.10.0\nARG VERSION=0.2.0-rc.1\n');
  assert.equal(problems.length, files.size);
});

test('files that already have the version are unchanged', async () => {
  assert.deepEqual((await renderedWith('0.1.0')).problems, []);
});
