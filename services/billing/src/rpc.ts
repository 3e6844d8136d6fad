/** BillingService on the wire. What is not implemented here answers `unimplemented`. */
import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { requireAccount, requireService } from '@audiosplit/chassis/rpc/identity';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import {
  BillingService,
  type Plan as PlanMessage,
  PlanSchema,
  type SetAccountOverridesRequest,
} from '@audiosplit/proto/billing/v1/billing';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { toProtoLimits } from './account-limits.ts';
import { accountLimitsChanged } from './events.ts';
import { checkOverrides, type Overrides, withOverrides } from './overrides.ts';
import { FREE_PLAN, PLANS, type Plan } from './plans.ts';
import { readAccount, replaceOverrides, sumStoredBytes, sumUsage } from './store.ts';
import { billedMinutes, remainingMs } from './usage.ts';
import { calendarMonth, parseCalendarMonth } from './usage-period.ts';

export interface BillingRpcOptions {
  readonly pool: Pool;
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

const READERS_OF_LIMITS = ['gateway', 'jobs', 'auth'];
const OPERATORS = ['operator', 'local'];

export function createBillingRoutes({ pool, wakeRelay, clock }: BillingRpcOptions): Routes {
  const effectivePlanOf = async (accountId: string) => {
    const { overrides, limitsRevision } = await readAccount(pool, accountId);
    return { plan: withOverrides(FREE_PLAN, overrides), limitsRevision };
  };

  return (router) =>
    router.service(BillingService, {
      listPlans: () => ({ plans: PLANS.map(toProtoPlan) }),

      async getBillingInfo(_, context) {
        const { plan } = await effectivePlanOf(requireAccount(context));
        return { plan: toProtoPlan(plan) };
      },

      async getUsage({ period: requested }, context) {
        const accountId = requireAccount(context);
        const period = parseCalendarMonth(requested, clock());
        const [{ plan }, totals, storedBytes] = await Promise.all([
          effectivePlanOf(accountId),
          sumUsage(pool, accountId, period),
          sumStoredBytes(pool, accountId),
        ]);
        // The Free plan costs nothing and knows no overage: what goes beyond it is refused, not charged.
        return {
          periodStart: timestampFromDate(period.start),
          periodEnd: timestampFromDate(period.end),
          minutesProcessed: BigInt(billedMinutes(totals.sourceDurationMs)),
          minutesIncluded: BigInt(plan.monthlyMinutes),
          minutesOverage: 0n,
          jobsCompleted: BigInt(totals.jobsCompleted),
          jobsFailed: BigInt(totals.jobsFailed),
          storageUsedBytes: BigInt(storedBytes),
          basePlanCents: BigInt(plan.pricePerMonthCents),
          overageCents: 0n,
          totalCents: BigInt(plan.pricePerMonthCents),
          currency: plan.currency,
        };
      },

      async getLimits({ accountId }, context) {
        requireService(context, ...READERS_OF_LIMITS);
        const { plan, limitsRevision } = await effectivePlanOf(accountId);
        return { limits: toProtoLimits(plan, limitsRevision) };
      },

      async getQuota({ accountId }, context) {
        requireService(context, ...READERS_OF_LIMITS);
        const [{ plan }, totals] = await Promise.all([
          effectivePlanOf(accountId),
          sumUsage(pool, accountId, calendarMonth(clock())),
        ]);
        return {
          remainingMs: BigInt(remainingMs(plan.monthlyMinutes, totals.sourceDurationMs)),
          overageAllowed: plan.overageMillicentsPerMinute !== undefined,
        };
      },

      async setAccountOverrides(request, context) {
        requireService(context, ...OPERATORS);
        const { accountId } = request;
        if (!/^[\x21-\x7e]{1,255}$/.test(accountId)) {
          throw new InvalidParamsError('accountId', 'give the id of an account.');
        }
        const overrides = fromProtoOverrides(request);
        checkOverrides(overrides);
        const limits = await withTransaction(pool, async (client) => {
          const account = await replaceOverrides(client, accountId, overrides);
          const changed = toProtoLimits(withOverrides(FREE_PLAN, account.overrides), account.limitsRevision);
          await appendToOutbox(client, [accountLimitsChanged(accountId, changed, clock())]);
          return changed;
        });
        wakeRelay();
        return { limits };
      },
    });
}

function fromProtoOverrides(request: SetAccountOverridesRequest): Overrides {
  const { maxFileSizeBytes } = request;
  return {
    requestsPerMinute: request.requestsPerMinute,
    concurrentJobs: request.concurrentJobs,
    maxFileSizeBytes: maxFileSizeBytes === undefined ? undefined : Number(maxFileSizeBytes),
    monthlyMinutes: request.monthlyMinutes,
  };
}

function toProtoPlan(plan: Plan): PlanMessage {
  const { overageMillicentsPerMinute, ...figures } = plan;
  return create(PlanSchema, {
    ...figures,
    maxFileSizeBytes: BigInt(plan.maxFileSizeBytes),
    pricePerMonthCents: BigInt(plan.pricePerMonthCents),
    ...(overageMillicentsPerMinute === undefined
      ? {}
      : { overageMillicentsPerMinute: BigInt(overageMillicentsPerMinute) }),
  });
}
