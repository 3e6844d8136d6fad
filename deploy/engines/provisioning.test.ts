import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { cacheDir, ensureDirectory } from '../provision/cache.ts';
import { isVersionAtLeast, moduleProxy } from '../provision/go-toolchain.ts';
import { versions } from '../provision/versions.ts';
import { javaMajor, renderPom } from './kafka-distribution.ts';
import { newestBinariesDir, unprivilegedAccount } from './postgres.ts';

describe('the programs of engines', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'audiosplit-engines-provisioning-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  function installPostgres(major: string, programs: readonly string[]): void {
    const binaries = join(dir, major, 'bin');
    mkdirSync(binaries, { recursive: true });
    for (const program of programs) {
      writeFileSync(join(binaries, program), '');
      chmodSync(join(binaries, program), 0o755);
    }
  }

  test('the newest PostgreSQL with a server is used, compared by number', () => {
    installPostgres('9', ['initdb', 'postgres']);
    installPostgres('15', ['initdb', 'postgres']);
    installPostgres('17', ['psql']);
    assert.equal(newestBinariesDir(dir), join(dir, '15/bin'));
    assert.equal(newestBinariesDir(join(dir, 'none')), undefined);
  });

  test('PostgreSQL runs as postgres, else as nobody', () => {
    const nobody = 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533:nobody:/:/bin/false\n';
    assert.deepEqual(unprivilegedAccount(nobody), { uid: 65534, gid: 65533 });
    const both = `${nobody}postgres:x:101:104::/var/lib/postgresql:/bin/sh\n`;
    assert.deepEqual(unprivilegedAccount(both), { uid: 101, gid: 104 });
    assert.throws(() => unprivilegedAccount('root:x:0:0::/:/bin/sh'), { name: 'ProvisionError' });
  });

  test('versions compare by number', () => {
    assert.ok(isVersionAtLeast('1.26.8', '1.25.0'));
    assert.ok(isVersionAtLeast('1.25', '1.25.0'));
    assert.ok(isVersionAtLeast('2.0', '1.25.0'));
    assert.ok(!isVersionAtLeast('1.9', '1.25.0'));
    assert.ok(!isVersionAtLeast('1.19~1', '1.25.0'));
    assert.ok(!isVersionAtLeast('', '1.25.0'));
  });

  test('the Java version is parsed from the output of java', () => {
    assert.equal(javaMajor('openjdk version "17.0.15" 2025-04-15'), 17);
    assert.equal(javaMajor('java version "1.8.0_401"'), 1);
    assert.equal(javaMajor('command not found'), null);
  });

  test('the pom contains the pinned Kafka version', () => {
    assert.ok(
      renderPom().includes(`<artifactId>kafka_2.13</artifactId><version>${versions.kafka}</version>`),
    );
  });

  test('the cache is below the home folder or in the folder given by XDG', () => {
    assert.equal(cacheDir({ XDG_CACHE_HOME: '/cache' }), '/cache/audiosplit');
    assert.match(cacheDir({}), /\/\.cache\/audiosplit$/);
  });

  test('a cached folder is filled once, and a failed attempt leaves nothing', async () => {
    const target = join(dir, 'cache/tool-1');
    await assert.rejects(
      ensureDirectory(target, async (partial) => {
        writeFileSync(join(partial, 'half'), '');
        throw new Error('download broke off');
      }),
      /broke off/,
    );
    assert.deepEqual(readdirSync(join(dir, 'cache')), []);

    let fills = 0;
    const fill = async (partial: string) => {
      fills += 1;
      writeFileSync(join(partial, 'tool'), '');
    };
    await ensureDirectory(target, fill);
    await ensureDirectory(target, fill);
    assert.equal(fills, 1);
    assert.ok(existsSync(join(target, 'tool')));
    assert.deepEqual(readdirSync(join(dir, 'cache')), ['tool-1']);
  });

  test('Go is fetched from the first proxy in the list', () => {
    assert.equal(moduleProxy({}), 'https://proxy.golang.org');
    assert.equal(moduleProxy({ GOPROXY: 'direct' }), 'https://proxy.golang.org');
    assert.equal(moduleProxy({ GOPROXY: 'off|http://mirror:3000/go/,direct' }), 'http://mirror:3000/go');
  });
});
