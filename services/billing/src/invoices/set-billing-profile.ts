import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { type BillingProfile, lockAccount, updateProfile } from '../store/accounts.ts';

const MAX_COMPANY_NAME_LENGTH = 255;
const MAX_TAX_ID_LENGTH = 64;

/** Later invoices contain it. Throws InvalidParamsError, AccountPurgedError. */
export async function setBillingProfile(
  { pool }: BillingDependencies,
  accountId: string,
  { companyName, taxId }: BillingProfile,
): Promise<BillingProfile> {
  const profile = {
    companyName: lineOf('companyName', companyName, MAX_COMPANY_NAME_LENGTH),
    taxId: lineOf('taxId', taxId, MAX_TAX_ID_LENGTH),
  };
  await withTransaction(pool, async (db) => {
    await lockAccount(db, accountId);
    await updateProfile(db, accountId, profile);
  });
  return profile;
}

function lineOf(field: string, text: string | undefined, maxLength: number): string | undefined {
  const line = text?.trim() ?? '';
  if (Array.from(line).length > maxLength) {
    throw new InvalidParamsError(field, `give at most ${maxLength} characters.`);
  }
  return line === '' ? undefined : line;
}
