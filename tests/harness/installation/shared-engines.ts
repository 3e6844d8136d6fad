/** The engines of `npm run verify -- engines`, and the environment of processes that use them. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { identityEnvironment } from '@audiosplit/chassis/identity/identity-environment';
import type { Env } from '@audiosplit/chassis/process/env';
import { TEST_IDENTITIES } from '@audiosplit/chassis/testing/identities';
import pg from 'pg';
import { environmentOf } from '../../../deploy/engines/environment.ts';
import type { SystemEngines } from './engine-controls.ts';
import { ONE_ADDRESS } from './one-address.ts';

export type { SystemEngines };

/** Uses a new database on their server. */
export async function sharedEngines(testName: string): Promise<SystemEngines> {
  const adminUrl = required('TEST_DATABASE_URL');
  const database = `${testName}_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  const databaseUrl = new URL(adminUrl);
  databaseUrl.pathname = `/${database}`;
  return {
    databaseUrl: databaseUrl.href,
    kafkaBrokers: required('TEST_KAFKA_BROKERS'),
    redisUrl: required('TEST_REDIS_URL'),
    storageUrl: required('TEST_STORAGE_URL'),
    awsAccessKeyId: required('AWS_ACCESS_KEY_ID'),
    awsSecretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
  };
}

/** Sources and receivers on this machine are allowed. */
export function systemEnvironment(
  engines: SystemEngines,
  scratchDir: string,
): Env & { readonly DATABASE_URL: string } {
  return {
    ...ownEnvironment(scratchDir),
    ...environmentOf(engines),
    DATABASE_URL: engines.databaseUrl,
  };
}

/** Without the engines' addresses. */
export function ownEnvironment(scratchDir: string): Env {
  return {
    PATH: process.env.PATH ?? '',
    ...identityEnvironment(TEST_IDENTITIES),
    AUTH_SECRET: secretOf('auth'),
    WEBHOOKS_SECRET: secretOf('webhooks'),
    DOWNLOAD_SECRET: secretOf('download'),
    MAIL_DIR: join(scratchDir, 'mail'),
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    ...ONE_ADDRESS,
  };
}

function secretOf(purpose: string): string {
  return `${purpose} secret, long enough for all the tests there are`;
}

function required(variable: string): string {
  const value = process.env[variable];
  if (value === undefined)
    throw new Error(`${variable} is not set: run this through \`npm run verify -- engines\``);
  return value;
}
