/** BillingOperatorService: operators search accounts, change their terms, and record their own actions. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import type { BillingOperatorService, FigureChange } from '@audiosplit/proto/billing/v1/operators';
import { FIGURES } from '@audiosplit/proto/vocabulary';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { accountIdOf } from './account-id.ts';
import { type AccountState, accountTime, ownPlanOf, readAccountState } from './account-state.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { toProtoInvoices } from './invoices/invoice-messages.ts';
import { toProtoSuspension } from './limits/account-limits.ts';
import type { Overrides } from './limits/overrides.ts';
import { changeOverrides } from './limits/set-overrides.ts';
import { changeSuspension } from './limits/suspend-account.ts';
import { setSandboxClock } from './payment/sandbox-clock.ts';
import {
  toProtoOverrides,
  toProtoPlan,
  toProtoRefund,
  toProtoSubscription,
  toProtoUsage,
} from './proto-mapping.ts';
import { refundInvoice } from './refunds/refund-invoice.ts';
import { findAccounts, findAccountsWithOverrides } from './store/find-accounts.ts';
import { listInvoices } from './store/invoices.ts';
import { insertAct, listActs, type OperatorAct, setOutcome } from './store/operator-acts.ts';
import { reportUsage } from './usage/usage-report.ts';

const MAX_FOUND = 50;
const SHOWN_INVOICES = 20;
const ACTS_PER_PAGE = 50;
/** Bounds the offset. */
const MAX_PAGE = 1_000_000;
/** Longer than any mail address (RFC 5321, 4.5.3.1) and any id. */
const MAX_QUERY_LENGTH = 320;

export function createOperatorRpc(
  dependencies: BillingDependencies,
): ServiceImpl<typeof BillingOperatorService> {
  const { pool, provider, clock } = dependencies;
  return {
    async findAccounts({ query }) {
      const wanted = query.trim();
      if (wanted.length > MAX_QUERY_LENGTH) {
        throw new InvalidParamsError('query', `give at most ${MAX_QUERY_LENGTH} characters.`);
      }
      const found = await (wanted === ''
        ? findAccountsWithOverrides(pool, MAX_FOUND + 1)
        : findAccounts(pool, wanted, MAX_FOUND + 1));
      const states: AccountState[] = [];
      for (const accountId of found.slice(0, MAX_FOUND)) states.push(await readAccountState(pool, accountId));
      return { accounts: states.map(toSummary), hasMore: found.length > MAX_FOUND };
    },

    async getAccount(request) {
      const accountId = accountIdOf(request);
      const state = await readAccountState(pool, accountId);
      const { account, subscription } = state;
      const { invoices } = await listInvoices(pool, accountId, { page: 1, limit: SHOWN_INVOICES });
      return {
        usage: toProtoUsage(await reportUsage(pool, accountId, 'current', clock())),
        invoices: await toProtoInvoices(pool, invoices, true),
        account: toSummary(state),
        ownPlan: toProtoPlan(ownPlanOf(subscription)),
        ...(subscription === undefined ? {} : { subscription: toProtoSubscription(subscription) }),
        ...(provider.name === 'sandbox' ? { clock: timestampFromDate(accountTime(account, clock())) } : {}),
        ...(account.suspension === undefined ? {} : { suspension: toProtoSuspension(account.suspension) }),
      };
    },

    async changeOverrides(request) {
      const changes = changesOf(request.changes);
      return {
        overrides: toProtoOverrides(await changeOverrides(dependencies, accountIdOf(request), changes)),
      };
    },

    async moveClock(request) {
      if (request.now === undefined) throw new InvalidParamsError('now', 'give a time.');
      await setSandboxClock(dependencies, accountIdOf(request), timestampDate(request.now));
      return {};
    },

    async refundInvoice({ invoiceId, amountCents, requestKey, ...request }) {
      const refund = await refundInvoice(dependencies, accountIdOf(request), {
        invoiceId,
        amountCents: amountCents === undefined ? undefined : Number(amountCents),
        reason: request.reason.trim(),
        requestKey,
      });
      return { refund: toProtoRefund(refund) };
    },

    async suspendAccount(request) {
      const reason = request.reason.trim();
      await changeSuspension(dependencies, accountIdOf(request), { suspended: true, reason });
      return {};
    },

    async restoreAccount(request) {
      const reason = request.reason.trim();
      await changeSuspension(dependencies, accountIdOf(request), { suspended: false, reason });
      return {};
    },

    async beginAct({ operator, action, reason, inputJson, accountId }) {
      if (reason.trim() === '') throw new InvalidParamsError('reason', 'say why.');
      const begunAt = clock();
      const id = newId('act', begunAt);
      await insertAct(pool, {
        id,
        begunAt,
        operator,
        action,
        reason: reason.trim(),
        input: inputJson,
        accountId: accountId === '' ? null : accountId,
      });
      return { actId: id };
    },

    async endAct({ actId, outcome }) {
      await setOutcome(pool, actId, outcome);
      return {};
    },

    async listActs({ accountId, page }) {
      if (page < 1 || page > MAX_PAGE) throw new InvalidParamsError('page', `give 1 to ${MAX_PAGE}.`);
      const acts = await listActs(pool, {
        accountId: accountId === '' ? undefined : accountId,
        limit: ACTS_PER_PAGE + 1,
        offset: (page - 1) * ACTS_PER_PAGE,
      });
      return { acts: acts.slice(0, ACTS_PER_PAGE).map(toProtoAct), hasMore: acts.length > ACTS_PER_PAGE };
    },
  };
}

function toProtoAct({ begunAt, input, accountId, outcome, ...act }: OperatorAct) {
  return {
    ...act,
    begunAt: timestampFromDate(begunAt),
    inputJson: input,
    accountId: accountId ?? '',
    ...(outcome === null ? {} : { outcome }),
  };
}

function toSummary({ account, plan }: AccountState) {
  return {
    accountId: account.accountId,
    email: account.holder?.email ?? '',
    name: account.holder?.name ?? '',
    plan: toProtoPlan(plan),
    overrides: toProtoOverrides(account.overrides),
  };
}

/** Throws InvalidParamsError. */
function changesOf(changes: readonly FigureChange[]): Partial<Overrides> {
  const entries = changes.map(({ figure: name, value }) => {
    const figure = FIGURES.find((each) => each === name);
    if (figure === undefined) throw new InvalidParamsError('figure', `give one of ${FIGURES.join(', ')}.`);
    return [figure, value === undefined ? undefined : Number(value)];
  });
  return Object.fromEntries(entries);
}
