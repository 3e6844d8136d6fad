/**
 * Which process may call which method, and whether in its own name or for an account. A method without a row does not
 * compile, and a caller that its row does not name is refused.
 */
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { BillingOperatorService } from '@audiosplit/proto/billing/v1/operators';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';
import { JobsOperatorService } from '@audiosplit/proto/jobs/v1/operators';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { WebhooksService } from '@audiosplit/proto/webhooks/v1/webhooks';
import type { DescMethod, DescService } from '@bufbuild/protobuf';

/** `operator` is the operators' console and the operators' commands. */
export const PROCESSES = [
  'gateway',
  'operator',
  'auth',
  'account',
  'billing',
  'jobs',
  'splitter',
  'webhooks',
] as const;
export type Process = (typeof PROCESSES)[number];

export interface Access {
  /** In whose name the method is called. */
  readonly as: 'process' | 'account';
  readonly by: readonly Process[];
}

const inOwnName = (...by: readonly Process[]): Access => ({ as: 'process', by });
const forAccount = (...by: readonly Process[]): Access => ({ as: 'account', by });

const rows = new Map<DescMethod, Access>();

function allow<S extends DescService>(service: S, access: Readonly<Record<keyof S['method'], Access>>): void {
  for (const method of service.methods) {
    const row = access[method.localName as keyof S['method']];
    if (row !== undefined) rows.set(method, row);
  }
}

allow(AccountService, {
  getAccount: forAccount('gateway'),
  deleteAccount: forAccount('gateway'),
  restoreAccount: forAccount('gateway'),
  createExport: forAccount('gateway'),
  listExports: forAccount('gateway'),
  getExport: forAccount('gateway'),
  putPreset: forAccount('gateway'),
  listPresets: forAccount('gateway'),
  deletePreset: forAccount('gateway'),
});

allow(AuthService, {
  register: inOwnName('gateway'),
  login: inOwnName('gateway'),
  loginByLink: inOwnName('gateway'),
  refreshSession: inOwnName('gateway'),
  logout: inOwnName('gateway'),
  requestPasswordReset: inOwnName('gateway'),
  resetPassword: inOwnName('gateway'),
  changePassword: forAccount('gateway'),
  changeEmail: forAccount('gateway'),
  requestVerification: forAccount('gateway'),
  verifyEmail: inOwnName('gateway'),
  getSecurity: forAccount('gateway'),
  listSessions: forAccount('gateway', 'account'),
  beginSecondFactor: forAccount('gateway'),
  confirmSecondFactor: forAccount('gateway'),
  renewRecoveryCodes: forAccount('gateway'),
  removeSecondFactor: forAccount('gateway'),
  endSession: forAccount('gateway'),
  endOtherSessions: forAccount('gateway'),
  getJwks: inOwnName('gateway'),
  createApiKey: forAccount('gateway'),
  updateApiKey: forAccount('gateway'),
  getApiKey: forAccount('gateway'),
  listApiKeys: forAccount('gateway', 'account'),
  revokeApiKey: forAccount('gateway'),
  rotateApiKey: forAccount('gateway'),
  verifyApiKey: inOwnName('gateway'),
  getAccountLimits: inOwnName('gateway'),
  admitSubject: inOwnName('gateway'),
  recordKeyUse: inOwnName('gateway'),
  closeAccount: inOwnName('account'),
  createSignInLink: inOwnName('account'),
  createMailedLink: inOwnName('account'),
  getIdentity: inOwnName('account'),
});

allow(AuthOperatorService, {
  getSignIn: inOwnName('operator'),
  turnOffSecondFactor: inOwnName('operator'),
});

allow(BillingService, {
  listPlans: inOwnName('gateway'),
  getBillingInfo: forAccount('gateway', 'account'),
  subscribe: forAccount('gateway'),
  changePlan: forAccount('gateway'),
  previewPlanChange: forAccount('gateway'),
  cancelSubscription: forAccount('gateway'),
  setPaymentMethod: forAccount('gateway'),
  deletePaymentMethod: forAccount('gateway'),
  listInvoices: forAccount('gateway', 'account'),
  payInvoice: forAccount('gateway'),
  getSpendLimit: forAccount('gateway'),
  setSpendLimit: forAccount('gateway'),
  setBillingProfile: forAccount('gateway'),
  getUsage: forAccount('gateway', 'account'),
  setSandboxClock: forAccount('gateway'),
  getLimits: inOwnName('auth', 'jobs'),
  getQuota: inOwnName('jobs'),
  setAccountOverrides: inOwnName('operator'),
  getAccountOverrides: inOwnName('operator'),
  receiveProviderEvent: inOwnName('gateway'),
});

allow(BillingOperatorService, {
  findAccounts: inOwnName('operator'),
  getAccount: inOwnName('operator'),
  changeOverrides: inOwnName('operator'),
  moveClock: inOwnName('operator'),
  refundInvoice: inOwnName('operator'),
  suspendAccount: inOwnName('operator'),
  restoreAccount: inOwnName('operator'),
  beginAct: inOwnName('operator'),
  endAct: inOwnName('operator'),
  listActs: inOwnName('operator'),
});

allow(JobsService, {
  createJob: forAccount('gateway'),
  getJob: forAccount('gateway'),
  getWaveform: forAccount('gateway'),
  listJobs: forAccount('gateway'),
  searchJobs: forAccount('gateway'),
  deleteJob: forAccount('gateway'),
  cancelJob: forAccount('gateway'),
  createBatch: forAccount('gateway'),
  getBatch: forAccount('gateway'),
  cancelBatch: forAccount('gateway'),
  retryBatch: forAccount('gateway'),
  reserveUpload: forAccount('gateway'),
  reportUploads: inOwnName('gateway'),
  beginResumableUpload: forAccount('gateway'),
  getResumableUpload: forAccount('gateway'),
  takeUploadPart: forAccount('gateway'),
  addUploadBytes: forAccount('gateway'),
  removeResumableUpload: forAccount('gateway'),
  getProgress: inOwnName('gateway'),
  walkJobs: forAccount('account', 'gateway'),
});

allow(ConnectionsService, {
  createConnection: forAccount('gateway'),
  listConnections: forAccount('gateway', 'account'),
  deleteConnection: forAccount('gateway'),
  testConnection: forAccount('gateway'),
});

allow(JobLeaseService, {
  claimJob: inOwnName('splitter'),
  findOverdueOffers: inOwnName('splitter'),
  findFirstOffers: inOwnName('splitter'),
  renewLease: inOwnName('splitter'),
  reserveMinutes: inOwnName('splitter'),
  checkLeases: inOwnName('splitter'),
  completeJob: inOwnName('splitter'),
  failJob: inOwnName('splitter'),
  releaseJob: inOwnName('splitter'),
  divideJob: inOwnName('splitter'),
  claimPart: inOwnName('splitter'),
  completePart: inOwnName('splitter'),
});

allow(JobsOperatorService, {
  getQueue: inOwnName('operator'),
  listWorkers: inOwnName('operator'),
  listStuckJobs: inOwnName('operator'),
  listAccountJobs: inOwnName('operator'),
  findJob: inOwnName('operator'),
  cancelAccountJob: inOwnName('operator'),
});

allow(SplitterService, {
  inspectSource: inOwnName('jobs'),
  drawWaveform: inOwnName('jobs'),
  checkEndpoint: inOwnName('jobs'),
  testBucket: inOwnName('jobs'),
  emptyFolder: inOwnName('jobs'),
});

allow(WebhooksService, {
  checkTarget: forAccount('gateway'),
  getSecret: forAccount('gateway'),
  rotateSecret: forAccount('gateway'),
  listDeliveries: forAccount('gateway'),
  replayDelivery: forAccount('gateway'),
  putEndpoint: forAccount('gateway'),
  getEndpoint: forAccount('gateway', 'account'),
  deleteEndpoint: forAccount('gateway'),
  testEndpoint: forAccount('gateway'),
  walkDeliveries: forAccount('account'),
});

/** Undefined for a method of none of the product's services: no process may call it. */
export function accessTo(method: DescMethod): Access | undefined {
  return rows.get(method);
}
