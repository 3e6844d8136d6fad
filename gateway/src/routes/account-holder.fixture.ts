/** Responses of the test's services, and what callers get for them. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';

export const AT = '2026-03-01T12:00:00.000Z';
export const LATER = '2026-04-01T12:00:00.000Z';
export const at = timestampFromDate(new Date(AT));
export const later = timestampFromDate(new Date(LATER));

export const account = { id: 'acc_1', email: 'a@example.com', name: 'A', createdAt: at };
export const shownAccount = { ...account, createdAt: AT };
export const session = { account, accessToken: 'at', refreshToken: 'rt', expiresInSeconds: 3600 };
export const shownSession = {
  account: shownAccount,
  accessToken: 'at',
  refreshToken: 'rt',
  tokenType: 'Bearer',
  expiresIn: 3600,
};
export const plan = {
  concurrentJobs: 20,
  requestsPerMinute: 300,
  overageMillicentsPerMinute: 1_000n,
  id: 'plan_pro',
  name: 'Pro',
  monthlyMinutes: 5000,
  maxFileSizeBytes: 2_147_483_648n,
  maxOutputBytes: 26_843_545_600n,
  pricePerMonthCents: 4900n,
  currency: 'usd',
};
export const shownPlan = {
  id: 'plan_pro',
  name: 'Pro',
  monthlyMinutes: 5000,
  maxFileSize: 2_147_483_648,
  maxOutputBytes: 26_843_545_600,
  pricePerMonth: 4900,
  currency: 'usd',
  concurrentJobs: 20,
  requestsPerMinute: 300,
  overageMillicentsPerMinute: 1_000,
};
export const subscription = {
  id: 'sub_1',
  planId: 'plan_pro',
  status: 'active',
  currentPeriodStart: at,
  currentPeriodEnd: later,
  cancelAtPeriodEnd: false,
};
export const card = { type: 'card', last4: '4242', brand: 'visa', expiresMonth: 12, expiresYear: 2030 };
export const startedExport = {
  id: 'exp_1',
  status: 'processing',
  format: 'json',
  createdAt: at,
  estimatedCompletionAt: later,
};
export const delivery = {
  id: 'dlv_1',
  type: 'split.completed',
  url: 'https://example.com/hook',
  status: 'pending',
  attempts: [
    { at, statusCode: 500 },
    { at, error: 'timed out' },
  ],
  nextAttemptAt: later,
  createdAt: at,
};
export const shownDelivery = {
  ...delivery,
  attempts: [
    { at: AT, statusCode: 500, error: null },
    { at: AT, statusCode: null, error: 'timed out' },
  ],
  nextAttemptAt: LATER,
  createdAt: AT,
};
export const onePage = { page: 1, limit: 20, total: 1, totalPages: 1 };

export const invoice = {
  id: 'inv_1',
  number: 'INV-202603-000001',
  status: 'open',
  amountCents: 4900n,
  currency: 'usd',
  periodStart: at,
  periodEnd: later,
  pdfObjectKey: 'invoices/inv_1.pdf',
  companyName: 'A Ltd',
};
export const shownInvoice = {
  id: 'inv_1',
  number: 'INV-202603-000001',
  status: 'open',
  amount: 4900,
  currency: 'usd',
  periodStart: AT,
  periodEnd: LATER,
  paidAt: null,
  pdfUrl: 'link',
  companyName: 'A Ltd',
  taxId: null,
  amountRefunded: 0,
  refunds: [],
};
