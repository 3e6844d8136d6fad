/** BillingOperatorService: operators find accounts, change their overrides and move their clocks. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { BillingOperatorService, FigureChange } from '@audiosplit/proto/billing/v1/operators';
import { FIGURES } from '@audiosplit/proto/vocabulary';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { accountIdOf } from './account-id.ts';
import { type AccountState, accountTime, ownPlanOf, readAccountState } from './account-state.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import type { Overrides } from './limits/overrides.ts';
import { changeOverrides } from './limits/set-overrides.ts';
import { setSandboxClock } from './payment/sandbox-clock.ts';
import { toProtoOverrides, toProtoPlan, toProtoSubscription } from './proto-mapping.ts';
import { findAccounts, findAccountsWithOverrides } from './store/find-accounts.ts';

const MAX_FOUND = 50;
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
      const state = await readAccountState(pool, accountIdOf(request));
      const { account, subscription } = state;
      return {
        account: toSummary(state),
        ownPlan: toProtoPlan(ownPlanOf(subscription)),
        ...(subscription === undefined ? {} : { subscription: toProtoSubscription(subscription) }),
        ...(provider.name === 'sandbox' ? { clock: timestampFromDate(accountTime(account, clock())) } : {}),
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
