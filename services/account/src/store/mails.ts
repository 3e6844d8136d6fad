import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Mail } from '../mail/mailer.ts';

interface QueuedMail extends Mail {
  /** Attempts so far, including the claimed one. */
  readonly attempts: number;
}

/** Due at once. */
export async function insertMail(db: Queryable, accountId: string, mail: Mail): Promise<void> {
  await db.query(
    `insert into mails (id, account_id, recipient, subject, body, html, written_at, next_attempt_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [mail.id, accountId, mail.to, mail.subject, mail.text, mail.html, mail.writtenAt],
  );
}

/**
 * Claims the mail that has been due for longest, and schedules its next attempt in case this one is cut off.
 * @param pausesMs After each attempt. The last one is used for all further attempts.
 */
export async function claimDueMail(
  db: Queryable,
  now: Date,
  pausesMs: readonly number[],
): Promise<QueuedMail | undefined> {
  const { rows } = await db.query<QueuedMail>(
    `update mails
     set attempts = attempts + 1,
         next_attempt_at = $1::timestamptz
           + ($2::bigint[])[least(attempts + 1, cardinality($2::bigint[]))] * interval '1 millisecond'
     where id = (
       select id from mails where next_attempt_at <= $1 order by next_attempt_at limit 1 for update skip locked)
     returning id, recipient as "to", subject, body as text, html, written_at as "writtenAt", attempts`,
    [now, pausesMs],
  );
  return rows[0];
}

export async function deleteMail(db: Queryable, id: string): Promise<void> {
  await db.query('delete from mails where id = $1', [id]);
}

export async function deleteMailsOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from mails where account_id = $1', [accountId]);
}
