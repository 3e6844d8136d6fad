import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { failTest } from '@audiosplit/chassis/testing/service-context';
import { createTestDatabase, type TestDatabase } from '@audiosplit/chassis/testing/test-database';
import { ACCOUNT_MIGRATIONS_DIR, ACCOUNT_SCHEMA } from '../schema.ts';
import { type Mail, MailRefusedError } from './mailer.ts';
import { createMailQueue, sendDueMails } from './queued-mail.ts';

describe('queued mail', () => {
  let database: TestDatabase;
  let pool: Pool;
  let nowMs = Date.UTC(2026, 2, 14);
  let sent: Mail[];
  let send: (mail: Mail) => Promise<void>;
  const stopping = new AbortController();
  before(async () => {
    database = await createTestDatabase([{ schema: ACCOUNT_SCHEMA, migrationsDir: ACCOUNT_MIGRATIONS_DIR }]);
    pool = openPool({ url: database.url, schema: ACCOUNT_SCHEMA, maxConnections: 4, onError: failTest });
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await pool.query('delete from mails');
    sent = [];
    send = async (mail) => void sent.push(mail);
  });
  const clock = () => new Date(nowMs);
  const queueMail = createMailQueue({
    publicBaseUrl: 'https://audiosplit.example',
    async sendSoon() {},
  });
  const queue = (subject = 'Hello') => {
    const message = { subject, before: ['Hello'], link: { label: 'Look', path: '/jobs' }, after: [] };
    return queueMail(pool, { id: 'acc_1', email: 'ada@example.com' }, message, clock());
  };
  const sendDue = (signal = stopping.signal) => {
    const mailer = { send: (mail: Mail) => send(mail), async [Symbol.asyncDispose]() {} };
    return sendDueMails({ pool, mailer, clock, log: silentLogger(), stopping: signal });
  };
  const waiting = async () => (await pool.query('select from mails')).rowCount;

  it('is sent once, oldest first', async () => {
    await queue('first');
    nowMs += 1;
    await queue('second');
    await Promise.all([sendDue(), sendDue(), sendDue()]);
    assert.deepEqual(sent.map(({ subject }) => subject).sort(), ['first', 'second']);
    assert.equal(await waiting(), 0);
  });

  it('is tried eight times over two days, then dropped, and does not delay other mail', async () => {
    const attempts: number[] = [];
    send = async (mail) => {
      if (mail.subject === 'other') return void sent.push(mail);
      attempts.push(nowMs);
      throw new Error('the server is away');
    };
    await queue();
    await queue('other');
    const begunAt = nowMs;
    for (let minute = 0; minute < 3 * 24 * 60; minute += 2) {
      await sendDue();
      nowMs += 2 * 60_000;
    }
    assert.deepEqual(
      attempts.map((at) => (at - begunAt) / 60_000),
      [0, 2, 12, 72, 252, 612, 1332, 2772],
    );
    assert.equal(sent.length, 1);
    assert.equal(await waiting(), 0);
  });

  it('is dropped at once if it is refused permanently', async () => {
    send = async () => {
      throw new MailRefusedError('no such user');
    };
    await queue();
    await sendDue();
    assert.equal(await waiting(), 0);
  });

  it('is left for the next attempt if the process stops, without waiting for the server', async () => {
    const stop = new AbortController();
    send = async () => {
      stop.abort();
      await new Promise(() => undefined);
    };
    await queue();
    await sendDue(stop.signal);
    assert.equal(await waiting(), 1);
    send = async (mail) => void sent.push(mail);
    nowMs += 2 * 60_000;
    await sendDue();
    assert.equal(sent.length, 1);
  });
});
