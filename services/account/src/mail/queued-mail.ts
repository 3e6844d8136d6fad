/**
 * Mail outbox. A message is inserted in the transaction of the change it reports, and delivered at least once.
 *
 * Failure modes: if a process dies while sending, the next attempt sends the message again with the same Message-ID. A
 * message that is undeliverable for days, or refused for good, is dropped and logged; the API shows the same facts.
 */
import { addAbortListener } from 'node:events';
import type { Clock } from '@audiosplit/chassis/clock';
import { messageOf } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { claimDueMail, deleteMail, insertMail } from '../store/mails.ts';
import { type Mailer, MailRefusedError } from './mailer.ts';
import type { Message } from './messages.ts';
import { renderMail } from './render-mail.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After each attempt, about two days in all. The first is longer than the timeout of a send. */
const PAUSES_MS = [
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
];

/** Runs in the transaction of the change that it reports. Skips a holder without an address, who has the API. */
export type QueueMail = (
  db: Queryable,
  holder: { readonly id: string; readonly email: string },
  message: Message,
  now: Date,
) => Promise<void>;

interface MailQueue {
  /** Scheme, host and port of the console, for the link. */
  readonly publicBaseUrl: string;
  /** Sends the mail as soon as the transaction commits. */
  readonly sendSoon: (db: Queryable) => Promise<void>;
}

export function createMailQueue({ publicBaseUrl, sendSoon }: MailQueue): QueueMail {
  return async (db, { id, email }, message, now) => {
    if (email === '') return;
    const rendered = renderMail(message, publicBaseUrl);
    await insertMail(db, id, { id: newId('mail', now), to: email, ...rendered, writtenAt: now });
    await sendSoon(db);
  };
}

interface MailSender {
  /** Leaves a mail in flight to its next attempt. */
  readonly stopping: AbortSignal;
  readonly pool: Pool;
  readonly mailer: Mailer;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Sends all due mails. */
export async function sendDueMails({ pool, mailer, clock, log, stopping }: MailSender): Promise<void> {
  while (!stopping.aborted) {
    const mail = await claimDueMail(pool, clock(), PAUSES_MS);
    if (mail === undefined) return;
    try {
      await unlessAborted(mailer.send(mail), stopping);
    } catch (error) {
      if (stopping.aborted) return;
      if (!(error instanceof MailRefusedError) && mail.attempts <= PAUSES_MS.length) {
        log.warn({ mailId: mail.id, attempts: mail.attempts }, `a mail has to wait: ${messageOf(error)}`);
        continue;
      }
      log.error({ mailId: mail.id, attempts: mail.attempts }, `a mail was dropped: ${messageOf(error)}`);
    }
    await deleteMail(pool, mail.id);
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  using _listening = addAbortListener(signal, () => aborted.reject(signal.reason));
  return await Promise.race([work, aborted.promise]);
}
