import assert from 'node:assert/strict';
import { mkdtempDisposable, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { parseEnv } from 'node:util';
import { environmentOfProcess } from '@audiosplit/chassis/identity/identity-environment';
import { readIdentityKeys, readPublicKeys } from '@audiosplit/chassis/identity/keys';
import { DATA_SERVICES, ENGINE_USERS, usesKafka } from '../../engines/access.ts';
import { aclFile } from '../../engines/redis-access.ts';
import { storageUsers } from '../../engines/storage-access.ts';
import { composeBalancerConfig } from '../../processes/balancer.ts';
import { SERVING_IMAGES } from '../product-images.ts';
import { composeArguments, needsImages } from './compose-arguments.ts';
import { ensureSecrets } from './compose-secrets.ts';

const COMPOSE_FILE = join(import.meta.dirname, 'compose.yaml');

test('haproxy.cfg is the container configuration of the balancer of `npm run up`', async () => {
  const config = await readFile(join(import.meta.dirname, 'haproxy.cfg'), 'utf8');
  const advice = 'run node deploy/containers/compose/write-balancer-config.ts';
  assert.equal(config, composeBalancerConfig(), advice);
});

test('every file that compose.yaml mounts or builds from exists', async () => {
  const text = await readFile(COMPOSE_FILE, 'utf8');
  const context = resolve(import.meta.dirname, /context: (\S+)/.exec(text)?.[1] ?? 'none');
  const dockerfile = join(context, /dockerfile: (\S+)/.exec(text)?.[1] ?? 'none');
  const mounted = [...text.matchAll(/'(\.[^:']*):\//g)].map(([, path = '']) =>
    resolve(import.meta.dirname, path),
  );
  assert.ok(mounted.length > 0);
  for (const path of [dockerfile, ...mounted]) assert.ok((await stat(path)).isFile(), path);
});

test('arguments that are not a command of Compose are passed to `up`', () => {
  const given = (...args: string[]) => composeArguments('/p', '/s', args).slice(4);
  assert.deepEqual(given(), ['up', '--no-build']);
  assert.deepEqual(given('--scale', 'splitter=4'), ['up', '--no-build', '--scale', 'splitter=4']);
  assert.deepEqual(given('up', '-d'), ['up', '--no-build', '-d']);
  assert.deepEqual(given('down', '--volumes'), ['down', '--volumes']);
  assert.deepEqual([needsImages([]), needsImages(['-d']), needsImages(['logs'])], [true, true, false]);
});

describe('secrets', async () => {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  const folder = stack.use(await mkdtempDisposable(join(tmpdir(), 'audiosplit-secrets-')));
  const file = join(folder.path, '.env');
  const ensure = (hasData: boolean) => ensureSecrets(file, async () => hasData);
  const read = () => readFile(file, 'utf8');

  test('are created once, for their owner only', async () => {
    await assert.rejects(ensure(true), /secrets are not here/);
    await ensure(false);
    const made = await read();
    assert.equal(made.match(/^[A-Z_]+=[0-9a-f]{64}$/gm)?.length, 24);
    for (const process of SERVING_IMAGES)
      assert.ok(readIdentityKeys(environmentOfProcess(parseEnv(made), process), process).privateKey);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await ensure(true);
    assert.equal(await read(), made);
  });

  test('of an earlier release are kept, and missing ones are added', async () => {
    const former = 'PORT=9000\nAUTH_SECRET=of a former release';
    await writeFile(file, former);
    await ensure(true);
    const { PORT, AUTH_SECRET, IDENTITY_PUBLIC_KEYS } = parseEnv(await read());
    assert.deepEqual([PORT, AUTH_SECRET], ['9000', 'of a former release']);
    const known = readPublicKeys(IDENTITY_PUBLIC_KEYS ?? '');
    assert.ok(SERVING_IMAGES.every((process) => known.has(process)));
  });
});

test('let each process sign in to each engine as itself, with the rights of access.ts', async () => {
  const text = await readFile(COMPOSE_FILE, 'utf8');
  const needed = (name: string) => `\${${name}:?run npm run compose}`;
  const users = aclFile(needed('REDIS_PASSWORD'), (user) => needed(`${user.toUpperCase()}_REDIS_PASSWORD`));
  assert.ok(text.includes(users.trim().replace(/^/gm, '      ')), users);
  const usersIn = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, user]) => user);
  const kafkaUsers = ENGINE_USERS.filter(usesKafka);
  assert.deepEqual(usersIn(/^ +user_(\w+)="\$\{\w+_KAFKA_PASSWORD:/gm).toSorted(), kafkaUsers.toSorted());
  assert.deepEqual(
    usersIn(/^ +KAFKA_SASL_USERNAME: (?!audiosplit$)(\w+)$/gm).toSorted(),
    kafkaUsers.toSorted(),
  );
  assert.deepEqual(usersIn(/^ +"(\w+)": \{ "access"/gm).toSorted(), storageUsers().toSorted());
  assert.deepEqual(
    usersIn(/^ +AWS_ACCESS_KEY_ID: (?!audiosplit$)(\w+)$/gm).toSorted(),
    storageUsers().toSorted(),
  );
  assert.deepEqual(usersIn(/postgres:\/\/audiosplit_(\w+):/g).toSorted(), DATA_SERVICES.toSorted());
  assert.equal(usersIn(/postgres:\/\/(postgres):/g).length, 1, 'an administrator is for `access` alone');
});

test('give each container its own private key only', async () => {
  const [, ...services] = (await readFile(COMPOSE_FILE, 'utf8')).split(/^ {2}(?=[a-z-]+:$)/m);
  const given = services.flatMap((text) => {
    const keys = [...text.matchAll(/IDENTITY_PRIVATE_KEY: \$\{(\w+)_IDENTITY_PRIVATE_KEY:/g)];
    return keys.map(([, owner = '']) => `${text.split(':')[0]} ${owner.toLowerCase()}`);
  });
  assert.deepEqual(given.toSorted(), SERVING_IMAGES.map((process) => `${process} ${process}`).toSorted());
});
