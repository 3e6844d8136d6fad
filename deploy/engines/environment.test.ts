import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { parseEnv } from 'node:util';
import { environmentOf, renderEnvFile, renderExports, testEnvironmentOf } from './environment.ts';

const storageUrl = 's3://audiosplit?endpoint=http://127.0.0.1:9000&region=us-east-1';

test('variables keep one order, and an engine that does not run has none', () => {
  const environment = environmentOf({ storageUrl, databaseUrl: 'postgres://127.0.0.1:1/x' });
  assert.deepEqual(Object.entries(environment), [
    ['DATABASE_URL', 'postgres://127.0.0.1:1/x'],
    ['STORAGE_URL', storageUrl],
  ]);
});

test('tests get their own names, without credentials', () => {
  const endpoints = { redisUrl: 'redis://127.0.0.1:1', awsAccessKeyId: 'id', awsSecretAccessKey: 's' };
  assert.deepEqual(testEnvironmentOf(endpoints), { TEST_REDIS_URL: 'redis://127.0.0.1:1' });
});

test('a shell and node --env-file read the rendered lines in the same way', () => {
  const environment = environmentOf({ storageUrl, kafkaBrokers: '127.0.0.1:9092' });
  const print = 'printf "%s\\n" "$KAFKA_BROKERS" "$STORAGE_URL"';
  const values = `127.0.0.1:9092\n${storageUrl}\n`;
  assert.equal(execFileSync('sh', ['-c', renderExports(environment) + print], { encoding: 'utf8' }), values);
  assert.equal(execFileSync('sh', ['-c', renderEnvFile(environment) + print], { encoding: 'utf8' }), values);
  assert.deepEqual({ ...parseEnv(renderEnvFile(environment)) }, environment);
});

test('a quote in a value stays part of it', () => {
  const script = `${renderExports({ SECRET: "it's $HOME" })}printf %s "$SECRET"`;
  assert.equal(execFileSync('sh', ['-c', script], { encoding: 'utf8' }), "it's $HOME");
});
