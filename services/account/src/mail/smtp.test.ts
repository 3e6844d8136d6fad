import assert from 'node:assert/strict';
import { it } from 'node:test';
import { aMail, FROM, testMailer } from './mailer.contract.ts';
import { MailRefusedError } from './mailer.ts';
import { createSmtpMailer, type SmtpOptions } from './smtp.ts';
import { startSmtpServer } from './smtp-server.fixture.ts';

const mailerTo = (port: number, changes: Partial<SmtpOptions> = {}) =>
  createSmtpMailer({ host: '127.0.0.1', port, tls: false, credentials: undefined, from: FROM, ...changes });

testMailer('SMTP', async () => {
  await using starting = new AsyncDisposableStack();
  const server = starting.use(await startSmtpServer());
  const mailer = starting.use(mailerTo(server.port));
  const running = starting.move();
  return {
    mailer,
    received: async () => server.messages.map(({ raw }) => raw),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
});

it('goes from the sender to the one recipient on the envelope too', async () => {
  await using server = await startSmtpServer();
  await using mailer = mailerTo(server.port);
  await mailer.send(aMail());
  assert.deepEqual(
    server.messages.map(({ from, to }) => ({ from, to })),
    [{ from: 'no-reply@audiosplit.example', to: ['ada@example.com'] }],
  );
});

it('a recipient that the server does not know is refused for good', async () => {
  await using server = await startSmtpServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('No such user'), { responseCode: 550 })),
  });
  await using mailer = mailerTo(server.port);
  await assert.rejects(mailer.send(aMail()), MailRefusedError);
});

it('a server that is busy, or away, may be tried again', async () => {
  await using server = await startSmtpServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('Later'), { responseCode: 451 })),
  });
  await using mailer = mailerTo(server.port);
  await assert.rejects(mailer.send(aMail()), (error) => !(error instanceof MailRefusedError));
  const { port } = server;
  await server[Symbol.asyncDispose]();
  await using toNobody = mailerTo(port);
  await assert.rejects(toNobody.send(aMail()), (error) => !(error instanceof MailRefusedError));
});

it('a server that cannot encrypt gets neither password nor message', async () => {
  const credentials = { user: 'audiosplit', password: 'a password' };
  const seen: string[] = [];
  await using server = await startSmtpServer({
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => {
      seen.push(`${username}:${password}`);
      done(null, { user: username });
    },
  });
  await using mailer = mailerTo(server.port, { credentials });
  await assert.rejects(mailer.send(aMail()));
  assert.deepEqual({ seen, messages: server.messages }, { seen: [], messages: [] });
});
