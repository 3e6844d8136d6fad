import { createTransport } from 'nodemailer';
import { composeMail } from './compose.ts';
import { type Mailer, MailRefusedError, type Sender } from './mailer.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte. Otherwise STARTTLS, if the server offers it. */
  readonly tls: boolean;
  /** With credentials, nothing is sent over an unencrypted connection. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  readonly from: Sender;
}

const TIMEOUT_MS = 15_000;

/** Opens a connection per message, because mail is rare and the server would close an idle one. */
export function createSmtpMailer({ host, port, tls, credentials, from }: SmtpOptions): Mailer {
  const transport = createTransport({
    host,
    port,
    secure: tls,
    requireTLS: credentials !== undefined,
    ...(credentials === undefined ? {} : { auth: { user: credentials.user, pass: credentials.password } }),
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
  });
  return {
    async send(mail) {
      const message = composeMail(mail, from);
      try {
        await transport.sendMail(message);
      } catch (error) {
        throw isFinal(error) ? new MailRefusedError(error.message, { cause: error }) : error;
      }
    },
    async [Symbol.asyncDispose]() {
      transport.close();
    },
  };
}

/** The server rejects this recipient or message permanently (RFC 5321, 4.2.1), not our credentials. */
function isFinal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false;
  const isAboutTheMessage = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  return isAboutTheMessage && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
