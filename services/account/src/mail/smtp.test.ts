import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { CERTIFICATE, PRIVATE_KEY } from './certificate.fixture.ts';
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

// Covers D-6.14
it('uses the sender and the one recipient on the envelope too', async () => {
  await using server = await startSmtpServer();
  await using mailer = mailerTo(server.port);
  await mailer.send(aMail());
  assert.deepEqual(
    server.messages.map(({ from, to }) => ({ from, to })),
    [{ from: 'no-reply@audiosplit.example', to: ['ada@example.com'] }],
  );
});

it('a recipient unknown to the server is refused permanently', async () => {
  await using server = await startSmtpServer({
    onRcptTo: (_address, _session, done) =>
      done(Object.assign(new Error('No such user'), { responseCode: 550 })),
  });
  await using mailer = mailerTo(server.port);
  await assert.rejects(mailer.send(aMail()), MailRefusedError);
});

it('a busy or unreachable server is retryable', async () => {
  await using server = await startSmtpServer({
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('Later'), { responseCode: 451 })),
  });
  await using mailer = mailerTo(server.port);
  await assert.rejects(mailer.send(aMail()), (error) => !(error instanceof MailRefusedError));
  const { port } = server;
  await server[Symbol.asyncDispose]();
  await using toClosedPort = mailerTo(port);
  await assert.rejects(toClosedPort.send(aMail()), (error) => !(error instanceof MailRefusedError));
});

it('a server without encryption receives neither password nor message', async () => {
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

describe('mail over an encrypted connection', () => {
  const credentials = { user: 'audiosplit', password: 'a password: ü@/%' };
  const trusted = getCACertificates('default');
  before(() => setDefaultCACertificates([...trusted, CERTIFICATE]));
  after(() => setDefaultCACertificates([...trusted]));

  /** Requires encryption and the password. */
  const startDemanding = async (secure: boolean) => {
    const seen: { secure: boolean; user: unknown; password: unknown }[] = [];
    const server = await startSmtpServer({
      key: PRIVATE_KEY,
      cert: CERTIFICATE,
      secure,
      authOptional: false,
      disabledCommands: [],
      onAuth({ username, password }, session, done) {
        seen.push({ secure: session.secure, user: username, password });
        const isRight = username === credentials.user && password === credentials.password;
        done(isRight ? null : new Error('No'), isRight ? { user: username } : undefined);
      },
    });
    return { server, seen };
  };

  for (const [what, tls] of [
    ['by STARTTLS', false],
    ['from the first byte', true],
  ] as const) {
    it(`${what}, the password is sent only after encryption, and the message only after the password`, async () => {
      const { server, seen } = await startDemanding(tls);
      await using _server = server;
      await using mailer = mailerTo(server.port, { tls, credentials });
      await mailer.send(aMail());
      assert.deepEqual(seen, [{ secure: true, ...credentials }]);
      assert.equal(server.messages.length, 1);
    });

    it(`${what}, a wrong password is retryable, and the mail is kept`, async () => {
      const { server } = await startDemanding(tls);
      await using _server = server;
      const wrong = { ...credentials, password: 'another password' };
      await using mailer = mailerTo(server.port, { tls, credentials: wrong });
      await assert.rejects(mailer.send(aMail()), (error) => !(error instanceof MailRefusedError));
      assert.deepEqual(server.messages, []);
    });

    it(`${what}, a server with an untrusted certificate receives neither password nor message`, async () => {
      const { server, seen } = await startDemanding(tls);
      await using _server = server;
      setDefaultCACertificates([...trusted]);
      await using mailer = mailerTo(server.port, { tls, credentials });
      await assert.rejects(mailer.send(aMail()));
      setDefaultCACertificates([...trusted, CERTIFICATE]);
      assert.deepEqual({ seen, messages: server.messages }, { seen: [], messages: [] });
    });
  }

  it('is used if the server offers it, also without a password', async () => {
    let wasSecure = false;
    await using server = await startSmtpServer({
      key: PRIVATE_KEY,
      cert: CERTIFICATE,
      disabledCommands: [],
      onMailFrom(_address, session, done) {
        wasSecure = session.secure;
        done();
      },
    });
    await using mailer = mailerTo(server.port);
    await mailer.send(aMail());
    assert.deepEqual([wasSecure, server.messages.length], [true, 1]);
  });
});
