/** The message that both adapters pass to nodemailer, which encodes it. */
import type { SendMailOptions } from 'nodemailer';
import { type Mail, MailRefusedError, type Sender } from './mailer.ts';

/** Without blanks, control characters and the separators of a header (RFC 5322, 3.4), it is always a single address. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;
const CONTROL_CHARACTER = /\p{Cc}/u;

export function isMailAddress(value: string): boolean {
  return ADDRESS.test(value);
}

/** Throws MailRefusedError for an address or subject that could inject a header or a recipient. */
export function composeMail({ id, to, subject, text, html, writtenAt }: Mail, from: Sender): SendMailOptions {
  if (!isMailAddress(to)) throw new MailRefusedError('the recipient is not one mail address');
  if (CONTROL_CHARACTER.test(subject)) throw new MailRefusedError('the subject is not one line of text');
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    from: { name: from.name, address: from.address },
    // An object, because nodemailer parses a string as a list.
    to: { name: '', address: to },
    subject,
    text,
    ...(html === null ? {} : { html }),
    date: writtenAt,
    messageId: `<${id}@${domain}>`,
    // RFC 3834: asks for no out-of-office replies.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
