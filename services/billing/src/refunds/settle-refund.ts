/**
 * Settles a refund, as `settle-charge.ts` does a charge: its row is committed before the request to the
 * provider, the provider refunds once per id, and the first process to write the response wins.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { PaymentFailedError } from '../errors.ts';
import { refundChanged } from '../outgoing-events.ts';
import { isAnswered, type ProviderRefund, RefundRefusedError } from '../payment/payment-provider.ts';
import { toCallError } from '../payment/provider-failure.ts';
import { lockAccount } from '../store/accounts.ts';
import { raiseInvoiceRevision, readInvoice } from '../store/invoices.ts';
import { countRefundAnswer, listUnansweredRefunds, readRefund, updateRefund } from '../store/refunds.ts';
import type { Refund } from './refund.ts';

const BATCH = 100;
/** The request that created a refund settles it. If it is unanswered for longer, its process has died. */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Calls the provider only if it has not answered yet. Throws UnavailableError if it does not answer,
 * PaymentFailedError if it refuses, ProviderFaultError if a retry would fail too.
 */
export async function settleRefund(dependencies: BillingDependencies, refund: Refund): Promise<Refund> {
  const { pool, provider } = dependencies;
  const known = await readRefund(pool, refund.id);
  if (known?.state !== 'pending' || known.providerRefundId !== undefined) return known ?? refund;
  const { id, providerAnswers, providerChargeId, amountCents, currency, createdAt } = known;
  const attemptKey = providerAnswers === 0 ? id : `${id}.${providerAnswers}`;
  const request = { providerChargeId, amountCents, currency, idempotencyKey: id, attemptKey, createdAt };
  const write = (answer: Answer) =>
    writeRefund(dependencies, {
      accountId: known.accountId,
      find: async (db) => (await readRefund(db, id)) ?? known,
      answer,
    });
  let answer: Answer;
  try {
    answer = await provider.refund(request);
  } catch (error) {
    if (error instanceof RefundRefusedError) {
      const written = await write({ state: 'failed', providerRefundId: undefined });
      // Another attempt was accepted meanwhile.
      if (written.state !== 'failed') return written;
      throw new PaymentFailedError(`The payment provider refuses the refund: ${error.message}.`);
    }
    if (isAnswered(error)) await countRefundAnswer(pool, known);
    throw toCallError(error);
  }
  return write(answer);
}

/** Settles all unanswered refunds. One that fails is retried in the next run. */
export async function settleRefunds(
  dependencies: BillingDependencies,
  log: Logger,
  stopping?: AbortSignal,
): Promise<void> {
  const abandonedBefore = new Date(dependencies.clock().getTime() - ABANDONED_AFTER_MS);
  for (const refund of await listUnansweredRefunds(dependencies.pool, abandonedBefore, BATCH)) {
    if (stopping?.aborted) return;
    await settleRefund(dependencies, refund).catch((error: unknown) => {
      log.error(
        { err: error, accountId: refund.accountId, refundId: refund.id },
        'a refund could not be settled',
      );
    });
  }
}

type Answer = Pick<ProviderRefund, 'state'> & Pick<Refund, 'providerRefundId'>;

interface RefundChange {
  readonly accountId: string;
  /** The row, read under the lock. */
  readonly find: (db: Queryable) => Promise<Refund>;
  readonly answer: Answer;
}

/**
 * Writes a refund's state at the provider, unless a later state is known. The account's holder gets a mail.
 */
export async function writeRefund(
  { pool, clock, wakeRelay }: Pick<BillingDependencies, 'pool' | 'clock' | 'wakeRelay'>,
  { accountId, find, answer }: RefundChange,
): Promise<Refund> {
  const written = await withTransaction(pool, async (client): Promise<Refund> => {
    await lockAccount(client, accountId);
    const known = await find(client);
    const isAccepted = known.providerRefundId !== undefined;
    if (known.state === 'failed' || (isAccepted && !follows(known, answer))) return known;
    await updateRefund(client, known.id, answer);
    // The invoice's PDF shows refunds.
    await raiseInvoiceRevision(client, known.invoiceId);
    const refund = { ...known, ...answer };
    // The holder was not notified of a refund that fails at once.
    if (isAccepted === (answer.state === 'failed')) {
      const invoice = await readInvoice(client, known.invoiceId);
      await appendToOutbox(client, [refundChanged(refund, invoice?.number ?? '', clock())]);
    }
    return refund;
  });
  wakeRelay();
  return written;
}

/** Events arrive late and in any order. A failure is final, and may follow a success. */
function follows(known: Refund, next: Answer): boolean {
  if (next.providerRefundId !== known.providerRefundId) return false;
  return known.state === 'pending' ? next.state !== 'pending' : next.state === 'failed';
}
