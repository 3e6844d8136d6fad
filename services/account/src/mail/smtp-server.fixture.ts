/** A real SMTP server that keeps the mails it receives. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

interface TestSmtpServer extends AsyncDisposable {
  readonly port: number;
  readonly messages: readonly {
    readonly from: string;
    readonly to: readonly string[];
    readonly raw: string;
  }[];
}

export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<TestSmtpServer> {
  const messages: { from: string; to: readonly string[]; raw: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      text(stream).then((raw) => {
        messages.push({
          raw,
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
        });
        done();
      }, done);
    },
    ...options,
  });
  // Connections that a client breaks off.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    messages,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
