import assert from 'node:assert/strict';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from './env.ts';
import { loadSecretFiles } from './secret-files.ts';
import { secret, text, url } from './settings.ts';

const what = 'a setting of this test';
const SECRET = 'x'.repeat(32);
const SETTINGS = {
  SIGNING_SECRET: secret({ what }),
  DATABASE_URL: url(['postgresql'], { what, isSecret: true }),
  LIBRARY_KEY: text({ what, isSecret: true }),
  PUBLIC_KEYS: text({ what, mayBeFile: true }),
  LOG: text({ what }),
};

function load(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  loadSecretFiles(env, SETTINGS);
  return env;
}

const refusalOf =
  (variable: string, ...parts: readonly string[]) =>
  (error: unknown) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.variable, variable);
    for (const part of parts) assert.ok(error.message.includes(part), `${error.message} lacks ${part}`);
    return !error.message.includes(SECRET);
  };

test('each secret is replaced by the content of its file, without the final newline', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'secret-files-'));
  const file = async (name: string, content: string) => {
    const path = join(folder.path, name);
    await writeFile(path, content);
    return path;
  };
  const env = load({
    SIGNING_SECRET_FILE: await file('signing', `${SECRET}\n${SECRET}\n`),
    DATABASE_URL_FILE: await file('database', 'postgresql://me:hunter2@h/d\r\n'),
    LIBRARY_KEY_FILE: await file('library', 'key'),
    PUBLIC_KEYS_FILE: await file('public', 'gateway a\nauth b\n\n'),
    LOG: 'info',
  });
  assert.deepEqual(env, {
    SIGNING_SECRET: `${SECRET}\n${SECRET}`,
    DATABASE_URL: 'postgresql://me:hunter2@h/d',
    LIBRARY_KEY: 'key',
    PUBLIC_KEYS: 'gateway a\nauth b\n',
    LOG: 'info',
  });
});

test('a file variable for a setting that is not a secret is not read', () => {
  const env = { LOG_FILE: '/nowhere', OTHER_FILE: '/nowhere', LIBRARY_KEY_FILE: ' ' };
  assert.deepEqual(load({ ...env }), env);
});

test('a value together with a file is rejected, and the value is not shown', () => {
  const env = { SIGNING_SECRET: SECRET, SIGNING_SECRET_FILE: '/run/signing' };
  assert.throws(
    () => load(env),
    refusalOf('SIGNING_SECRET_FILE', '"/run/signing"', 'SIGNING_SECRET, but not both'),
  );
});

test('a file that cannot be read is reported with its name and the reason', () => {
  assert.throws(
    () => load({ DATABASE_URL_FILE: '/nowhere/at/all' }),
    refusalOf('DATABASE_URL_FILE', '"/nowhere/at/all"', 'ENOENT'),
  );
  assert.throws(() => load({ DATABASE_URL_FILE: tmpdir() }), refusalOf('DATABASE_URL_FILE', 'EISDIR'));
});
