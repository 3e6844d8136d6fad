import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { composeBalancerConfig } from '../../processes/balancer.ts';
import { composeArguments, needsImages } from './compose-arguments.ts';
import { ensureSecrets } from './compose-secrets.ts';

test('haproxy.cfg is what the balancer of `npm run up` is, for containers', async () => {
  const config = await readFile(join(import.meta.dirname, 'haproxy.cfg'), 'utf8');
  const advice = 'run node deploy/containers/compose/write-balancer-config.ts';
  assert.equal(config, composeBalancerConfig(), advice);
});

test('every file that compose.yaml mounts or builds from is there', async () => {
  const text = await readFile(join(import.meta.dirname, 'compose.yaml'), 'utf8');
  const context = resolve(import.meta.dirname, /context: (\S+)/.exec(text)?.[1] ?? 'none');
  const dockerfile = join(context, /dockerfile: (\S+)/.exec(text)?.[1] ?? 'none');
  const mounted = [...text.matchAll(/'(\.[^:']*):\//g)].map(([, path = '']) =>
    resolve(import.meta.dirname, path),
  );
  assert.ok(mounted.length > 0);
  for (const path of [dockerfile, ...mounted]) assert.ok((await stat(path)).isFile(), path);
});

test('what is no command of Compose belongs to `up`', () => {
  const given = (...args: string[]) => composeArguments('/p', '/s', args).slice(4);
  assert.deepEqual(given(), ['up', '--no-build']);
  assert.deepEqual(given('--scale', 'splitter=4'), ['up', '--no-build', '--scale', 'splitter=4']);
  assert.deepEqual(given('up', '-d'), ['up', '--no-build', '-d']);
  assert.deepEqual(given('down', '--volumes'), ['down', '--volumes']);
  assert.deepEqual([needsImages([]), needsImages(['-d']), needsImages(['logs'])], [true, true, false]);
});

test('secrets are made once, for their owner only', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'audiosplit-secrets-'));
  const file = join(folder.path, '.env');
  const ensure = (hasData: boolean) => ensureSecrets(file, async () => hasData);
  await assert.rejects(ensure(true), /secrets are not here/);
  await ensure(false);
  const made = await readFile(file, 'utf8');
  assert.match(made, /^(?:[A-Z_]+=[0-9a-f]{64}\n){6}$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await ensure(true);
  assert.equal(await readFile(file, 'utf8'), made);
});
