/** What both adapters hand to nodemailer, which does the encoding. */
import type { SendMailOptions } from 'nodemailer';
import { type Mail, MailRefusedError, type Sender } from './mailer.ts';

/** No blanks, control characters or what structures a header (RFC 5322, 3.4): nothing of it is ever more than one address. */
const ADDRESS = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;
const CONTROL_CHARACTER = /\p{Cc}/u;

export function isMailAddress(value: string): boolean {
  return ADDRESS.test(value);
}

/** Throws MailRefusedError for an address or subject that could say more than it should. */
export function composeMail({ id, to, subject, text, writtenAt }: Mail, from: Sender): SendMailOptions {
  if (!isMailAddress(to)) throw new MailRefusedError('the recipient is not one mail address');
  if (CONTROL_CHARACTER.test(subject)) throw new MailRefusedError('the subject is not one line of text');
  const domain = from.address.slice(from.address.indexOf('@') + 1);
  return {
    from: { name: from.name, address: from.address },
    // As objects: a text would be read as a list.
    to: { name: '', address: to },
    subject,
    text,
    date: writtenAt,
    messageId: `<${id}@${domain}>`,
    // RFC 3834: no out-of-office answers, please.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}
