import { createTransport } from 'nodemailer';
import { composeMail } from './compose.ts';
import { type Mailer, MailRefusedError, type Sender } from './mailer.ts';

export interface SmtpOptions {
  readonly host: string;
  readonly port: number;
  /** From the first byte; otherwise by STARTTLS where the server offers it. */
  readonly tls: boolean;
  /** With a password, nothing is sent unless the connection is encrypted. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
  readonly from: Sender;
}

const TIMEOUT_MS = 15_000;

/** A connection per message: mail is rare here, and a kept one would mostly be found closed. */
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

/** The server has refused this recipient or message, not us, and for good (RFC 5321, 4.2.1). */
function isFinal(error: unknown): error is Error {
  if (!(error instanceof Error) || !('code' in error) || !('responseCode' in error)) return false;
  const isAboutTheMessage = error.code === 'EENVELOPE' || error.code === 'EMESSAGE';
  return isAboutTheMessage && typeof error.responseCode === 'number' && error.responseCode >= 500;
}
