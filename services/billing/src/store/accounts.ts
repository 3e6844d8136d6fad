/** The store: billing's SQL, a file per table. The rows of accounts, which also serve as the lock of each account. */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { AccountPurgedError } from '../errors.ts';
import type { Overrides } from '../limits/overrides.ts';

export interface BillingAccount {
  readonly accountId: string;
  readonly limitsRevision: number;
  readonly overrides: Overrides;
  /** How far the account's billing clock is ahead of the real time. */
  readonly clockOffsetMs: number;
  /** The id at the payment provider. Undefined until the first payment method. */
  readonly customerId: string | undefined;
  /** Named on its invoices. Undefined until the registration event arrives. */
  readonly holder: AccountHolder | undefined;
  readonly profile: BillingProfile;
  /** Usage before this is closed: billed, or part of an ended stretch on the Free plan. */
  readonly usageClosedUntil: Date | undefined;
  /** Undefined: the plan's default. */
  readonly ownSpendLimit: OwnSpendLimit | undefined;
  /** The value that was published to other services. */
  readonly isSpendLimitReached: boolean;
  /** The number of responses of the provider concerning its payment methods. */
  readonly providerAnswers: number;
  /** Undefined: not suspended. */
  readonly suspension: Suspension | undefined;
}

export interface Suspension {
  readonly suspendedAt: Date;
  /** For the account's holder. */
  readonly reason: string;
}

export interface OwnSpendLimit {
  /** Undefined: no limit. */
  readonly cents: number | undefined;
}

/** Who is billed. */
export interface BillingProfile {
  readonly companyName: string | undefined;
  readonly taxId: string | undefined;
}

export interface AccountHolder {
  readonly email: string;
  readonly name: string;
}

export interface AccountRow {
  readonly revision: number;
  readonly requestsPerMinute: number | null;
  readonly concurrentJobs: number | null;
  readonly maxFileSizeBytes: number | null;
  readonly monthlyMinutes: number | null;
  readonly pricePerMonthCents: number | null;
  readonly overageMillicentsPerMinute: number | null;
  readonly customerId: string | null;
  readonly clockOffsetMs: number;
  readonly usageClosedUntil: Date | null;
  readonly isSpendLimitSet: boolean;
  readonly spendLimitCents: number | null;
  readonly isSpendLimitReached: boolean;
  readonly providerAnswers: number;
  readonly suspendedAt: Date | null;
  readonly suspensionReason: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly companyName: string | null;
  readonly taxId: string | null;
}

/** Of an AccountRow. */
export const ACCOUNT_COLUMNS = `limits_revision as revision, requests_per_minute_override as "requestsPerMinute",
  concurrent_jobs_override as "concurrentJobs", max_file_size_bytes_override as "maxFileSizeBytes",
  monthly_minutes_override as "monthlyMinutes", price_per_month_cents_override as "pricePerMonthCents",
  overage_millicents_per_minute_override as "overageMillicentsPerMinute",
  provider_customer_id as "customerId", clock_offset_ms as "clockOffsetMs",
  usage_closed_until as "usageClosedUntil", spend_limit_is_set as "isSpendLimitSet",
  spend_limit_cents as "spendLimitCents", spend_limit_reached as "isSpendLimitReached",
  provider_answers as "providerAnswers", suspended_at as "suspendedAt",
  suspension_reason as "suspensionReason", email, name, company_name as "companyName", tax_id as "taxId"`;

/** An account without a row has no overrides and revision 0. */
export async function readAccount(db: Queryable, accountId: string): Promise<BillingAccount> {
  const { rows } = await db.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from accounts where account_id = $1`,
    [accountId],
  );
  return fromAccountRow(accountId, rows[0]);
}

/**
 * Reads the account's row, inserting it if missing, and locks it until the transaction ends. Every change of an
 * account's money or limits starts with this, so that the changes of one account run one after another.
 *
 * Throws AccountPurgedError.
 */
export async function lockAccount(db: Queryable, accountId: string): Promise<BillingAccount> {
  // A purge deletes the row under its lock. If the row still exists after the wait, the account was not
  // purged.
  const { rows } = await db.query<AccountRow & { readonly isPurged: boolean }>(
    `select ${ACCOUNT_COLUMNS}, exists (select from purged_accounts where account_id = $1) as "isPurged"
     from accounts where account_id = $1 for update`,
    [accountId],
  );
  const [row] = rows;
  if (row?.isPurged === true) throw new AccountPurgedError();
  if (row !== undefined) return fromAccountRow(accountId, row);
  const account = await lockAccountToPurge(db, accountId);
  // Read under the lock, which a purge takes too.
  if (await isPurged(db, accountId)) throw new AccountPurgedError();
  return account;
}

export async function lockAccountToPurge(db: Queryable, accountId: string): Promise<BillingAccount> {
  await db.query(
    'insert into accounts (account_id, limits_revision) values ($1, 0) on conflict (account_id) do nothing',
    [accountId],
  );
  const result = await db.query<AccountRow>(
    `select ${ACCOUNT_COLUMNS} from accounts where account_id = $1 for update`,
    [accountId],
  );
  return fromAccountRow(accountId, onlyRow(result));
}

/** Replaces all overrides. */
export async function updateOverrides(db: Queryable, accountId: string, overrides: Overrides): Promise<void> {
  await db.query(
    `update accounts
     set requests_per_minute_override = $2, concurrent_jobs_override = $3, max_file_size_bytes_override = $4,
       monthly_minutes_override = $5, price_per_month_cents_override = $6,
       overage_millicents_per_minute_override = $7
     where account_id = $1`,
    [
      accountId,
      overrides.requestsPerMinute,
      overrides.concurrentJobs,
      overrides.maxFileSizeBytes,
      overrides.monthlyMinutes,
      overrides.pricePerMonthCents,
      overrides.overageMillicentsPerMinute,
    ],
  );
}

/** Returns the account's new state. */
export async function raiseLimitsRevision(db: Queryable, accountId: string): Promise<BillingAccount> {
  const result = await db.query<AccountRow>(
    `update accounts set limits_revision = limits_revision + 1 where account_id = $1 returning ${ACCOUNT_COLUMNS}`,
    [accountId],
  );
  return fromAccountRow(accountId, onlyRow(result));
}

/** Undefined: no longer suspended. */
export async function updateSuspension(
  db: Queryable,
  accountId: string,
  suspension: Suspension | undefined,
): Promise<void> {
  await db.query('update accounts set suspended_at = $2, suspension_reason = $3 where account_id = $1', [
    accountId,
    suspension?.suspendedAt ?? null,
    suspension?.reason ?? null,
  ]);
}

export async function closeUsageUntil(db: Queryable, accountId: string, until: Date): Promise<void> {
  await db.query('update accounts set usage_closed_until = $2 where account_id = $1', [accountId, until]);
}

/** Undefined cents: no limit. */
export async function updateSpendLimit(
  db: Queryable,
  accountId: string,
  cents: number | undefined,
): Promise<void> {
  await db.query(
    'update accounts set spend_limit_is_set = true, spend_limit_cents = $2 where account_id = $1',
    [accountId, cents ?? null],
  );
}

export async function updateSpendLimitReached(
  db: Queryable,
  accountId: string,
  isReached: boolean,
): Promise<void> {
  await db.query('update accounts set spend_limit_reached = $2 where account_id = $1', [
    accountId,
    isReached,
  ]);
}

export async function updateProfile(
  db: Queryable,
  accountId: string,
  { companyName, taxId }: BillingProfile,
): Promise<void> {
  await db.query('update accounts set company_name = $2, tax_id = $3 where account_id = $1', [
    accountId,
    companyName ?? null,
    taxId ?? null,
  ]);
}

export async function updateCustomer(db: Queryable, accountId: string, customerId: string): Promise<void> {
  await db.query('update accounts set provider_customer_id = $2 where account_id = $1', [
    accountId,
    customerId,
  ]);
}

/**
 * Counts a response to an attempt that began with `known`, unless it has been counted or the account is
 * purged.
 */
export async function countProviderAnswer(db: Queryable, accountId: string, known: number): Promise<void> {
  await db.query(
    `insert into accounts (account_id, limits_revision, provider_answers)
     select $1, 0, $2::integer + 1 where not exists (select from purged_accounts where account_id = $1)
     on conflict (account_id) do update set provider_answers = excluded.provider_answers
     where accounts.provider_answers = $2`,
    [accountId, known],
  );
}

export async function updateClockOffset(db: Queryable, accountId: string, offsetMs: number): Promise<void> {
  await db.query('update accounts set clock_offset_ms = $2 where account_id = $1', [accountId, offsetMs]);
}

/** Without a row it has no overrides and revision 0. */
export function fromAccountRow(accountId: string, row: AccountRow | undefined): BillingAccount {
  return {
    accountId,
    limitsRevision: row?.revision ?? 0,
    overrides: {
      requestsPerMinute: row?.requestsPerMinute ?? undefined,
      concurrentJobs: row?.concurrentJobs ?? undefined,
      maxFileSizeBytes: row?.maxFileSizeBytes ?? undefined,
      monthlyMinutes: row?.monthlyMinutes ?? undefined,
      pricePerMonthCents: row?.pricePerMonthCents ?? undefined,
      overageMillicentsPerMinute: row?.overageMillicentsPerMinute ?? undefined,
    },
    customerId: row?.customerId ?? undefined,
    clockOffsetMs: row?.clockOffsetMs ?? 0,
    holder: row?.email == null ? undefined : { email: row.email, name: row.name ?? '' },
    profile: { companyName: row?.companyName ?? undefined, taxId: row?.taxId ?? undefined },
    usageClosedUntil: row?.usageClosedUntil ?? undefined,
    ownSpendLimit: row?.isSpendLimitSet ? { cents: row.spendLimitCents ?? undefined } : undefined,
    isSpendLimitReached: row?.isSpendLimitReached ?? false,
    providerAnswers: row?.providerAnswers ?? 0,
    suspension: row?.suspendedAt
      ? { suspendedAt: row.suspendedAt, reason: row.suspensionReason ?? '' }
      : undefined,
  };
}

/** Does nothing for a purged account. */
export async function putHolder(db: Queryable, accountId: string, holder: AccountHolder): Promise<void> {
  await db.query(
    `insert into accounts (account_id, limits_revision, email, name)
     select $1, 0, $2, $3 where not exists (select from purged_accounts where account_id = $1)
     on conflict (account_id) do update set email = excluded.email, name = excluded.name`,
    [accountId, holder.email, holder.name],
  );
}

/** `usage_counts` before `job_usage`, whose trigger would otherwise update each sum before it is deleted. */
const TABLES_OF_ACCOUNTS = [
  'metered_overage',
  'ended_terms',
  'charges',
  'refunds',
  'invoices',
  'ended_periods',
  'subscriptions',
  'payment_method_removals',
  'payment_methods',
  'usage_thresholds',
  'operator_acts',
  'usage_counts',
  'job_usage',
  'accounts',
] as const;

/** Deletes all rows of the account. Its invoice numbers are not reused. */
export async function deleteAllOf(db: Queryable, accountId: string): Promise<void> {
  for (const table of TABLES_OF_ACCOUNTS) {
    await db.query(`delete from ${table} where account_id = $1`, [accountId]);
  }
}
