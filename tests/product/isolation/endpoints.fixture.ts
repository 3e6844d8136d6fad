/** How to call each endpoint of the gateway correctly, by the operationId of its description. */
import assert from 'node:assert/strict';
import type { ErrorCode } from '@audiosplit/gateway/http/errors/error-codes';
import { PASSWORD } from '../../harness/accounts/open-account.ts';
import { aConnection, aSplit, DAY_MS } from '../../harness/installation/scripted.ts';
import type { Belongings } from './installation.fixture.ts';
import type { Operation } from './operations.fixture.ts';

interface GuardedEndpoint {
  /** Fills the path's parameters with ids that belong to the attacked account. */
  readonly path?: (belongings: Belongings) => Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  /** The status for its owner. In the order of the table, each call finds the resources that it needs. */
  readonly status: number;
  /** The error for a caller of another account, who owns no such resource. */
  readonly toOthers?: ErrorCode;
}

const ofKey: GuardedEndpoint['path'] = ({ keyId }) => ({ keyId });
const ofQueuedJob: GuardedEndpoint['path'] = ({ queuedJobId }) => ({ jobId: queuedJobId });
const ofJob: GuardedEndpoint['path'] = ({ completedJobId }) => ({ jobId: completedJobId });

const ofConnection: GuardedEndpoint['path'] = ({ connectionId }) => ({ connectionId });

const ofBatch: GuardedEndpoint['path'] = ({ batchId }) => ({ batchId });

/** Requires an access token or an API key. */
export const GUARDED: Readonly<Record<string, GuardedEndpoint>> = {
  getAccount: { status: 200 },
  getSecurity: { status: 200 },
  listSessions: { status: 200 },
  listApiKeys: { status: 200 },
  getApiKey: { status: 200, path: ofKey, toOthers: 'NOT_FOUND' },
  listSplits: { status: 200 },
  searchSplits: { status: 200, query: '?text=mp3' },
  listPresets: { status: 200 },
  listConnections: { status: 200 },
  getBatch: { status: 200, path: ofBatch, toOthers: 'NOT_FOUND' },
  // Its only job is still waiting.
  downloadBatchArchive: { status: 409, path: ofBatch, toOthers: 'NOT_FOUND' },
  downloadBatchArchiveHead: { status: 409, path: ofBatch, toOthers: 'NOT_FOUND' },
  getSplit: { status: 200, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  followSplit: { status: 200, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  downloadSplitArchive: { status: 200, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  downloadSplitArchiveHead: { status: 200, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  getSplitWaveform: { status: 202, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  listExports: { status: 200 },
  getExport: { status: 200, path: ({ exportId }) => ({ exportId }), toOthers: 'NOT_FOUND' },
  getBilling: { status: 200 },
  getUsage: { status: 200 },
  listInvoices: { status: 200 },
  getWebhookSecret: { status: 200 },
  listDeliveries: { status: 200 },

  createApiKey: { status: 201, body: { name: 'another key' } },
  updateApiKey: { status: 200, path: ofKey, body: { name: 'a new name' }, toOthers: 'NOT_FOUND' },
  rotateApiKey: { status: 201, path: ofKey, body: {}, toOthers: 'NOT_FOUND' },
  revokeApiKey: { status: 204, path: ofKey, toOthers: 'NOT_FOUND' },
  createSplit: { status: 201, body: aSplit },
  createUpload: { status: 201, body: {} },
  createBatch: {
    status: 201,
    body: { sources: [aSplit.sourceUrl], settings: { splitMode: 'parts', parts: 2 } },
  },
  retryBatch: { status: 200, path: ofBatch, body: {}, toOthers: 'NOT_FOUND' },
  cancelBatch: { status: 200, path: ofBatch, body: {}, toOthers: 'NOT_FOUND' },
  savePreset: { status: 201, body: { name: 'mine', request: { splitMode: 'parts', parts: 2 } } },
  deletePreset: { status: 204, path: ({ presetId }) => ({ presetId }), toOthers: 'NOT_FOUND' },
  createConnection: { status: 201, body: aConnection('new') },
  testConnection: { status: 200, path: ofConnection, body: {}, toOthers: 'NOT_FOUND' },
  deleteConnection: { status: 204, path: ofConnection, toOthers: 'NOT_FOUND' },
  // Without the tus headers.
  createResumableUpload: { status: 412 },
  cancelSplit: { status: 200, path: ofQueuedJob, toOthers: 'JOB_NOT_FOUND' },
  deleteSplit: { status: 204, path: ofJob, toOthers: 'JOB_NOT_FOUND' },
  changeEmail: { status: 204, body: { email: 'holder-elsewhere@example.com', current: PASSWORD } },
  requestVerification: { status: 204 },
  beginSecondFactor: { status: 201, body: { current: PASSWORD } },
  confirmSecondFactor: { status: 400, body: { code: 'no code of its' } },
  renewRecoveryCodes: { status: 404, body: { current: PASSWORD, code: '000000' } },
  removeSecondFactor: { status: 404, body: { current: PASSWORD, code: '000000' } },
  endSession: { status: 204, path: ({ sessionId }) => ({ sessionId }), toOthers: 'NOT_FOUND' },
  changePassword: { status: 204, body: { current: PASSWORD, password: PASSWORD } },
  endOtherSessions: { status: 204 },
  createExport: { status: 202, body: { format: 'csv' } },
  rotateWebhookSecret: { status: 200 },
  setWebhookEndpoint: { status: 200, body: { url: 'http://127.0.0.1:8080/hook' } },
  getWebhookEndpoint: { status: 200, toOthers: 'NOT_FOUND' },
  testWebhookEndpoint: { status: 202 },
  deleteWebhookEndpoint: { status: 204 },
  replayDelivery: { status: 202, path: ({ deliveryId }) => ({ deliveryId }), toOthers: 'NOT_FOUND' },
  setPaymentMethod: { status: 200, body: { token: 'tok_mastercard' } },
  subscribe: { status: 201, body: { planId: 'plan_starter' } },
  changePlan: { status: 200, body: { planId: 'plan_pro' } },
  setBillingProfile: { status: 200, body: { companyName: 'Mine Ltd', taxId: null } },
  getBillingProfile: { status: 200 },
  setSpendLimit: { status: 200, body: { amount: null } },
  getSpendLimit: { status: 200, toOthers: 'NO_ACTIVE_SUBSCRIPTION' },
  // Invoices of other accounts are not found either: billing's own tests check that.
  payInvoice: { status: 404, path: () => ({ invoiceId: 'inv_none' }), toOthers: 'NOT_FOUND' },
  cancelSubscription: { status: 200, body: { immediate: true } },
  deletePaymentMethod: { status: 204 },
  setSandboxClock: { status: 200, body: { now: new Date(Date.now() + 7 * DAY_MS).toISOString() } },
  deleteAccount: { status: 200, body: { confirmation: 'DELETE MY ACCOUNT' } },
  restoreAccount: { status: 200 },
};

/** The path and the body with which an owner calls a guarded endpoint. */
export function requestTo({ id, template }: Operation, belongings: Belongings) {
  const { path, query = '', body } = GUARDED[id] ?? assert.fail(id);
  const parameters = path?.(belongings) ?? {};
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name] ?? assert.fail(name));
  return { path: `${filled}${query}`, body };
}

/** An account whose deletion is pending may read itself, repeat the request and restore itself. */
export const OPEN_WHILE_PENDING: ReadonlySet<string> = new Set([
  'getAccount',
  'deleteAccount',
  'restoreAccount',
]);

/** What a suspended account may do besides reading and deleting. */
export const OPEN_WHILE_SUSPENDED: ReadonlySet<string> = new Set([
  'restoreAccount',
  'createExport',
  'cancelSplit',
  'cancelBatch',
  'cancelSubscription',
  'setPaymentMethod',
  'payInvoice',
  'changePassword',
  'changeEmail',
  'requestVerification',
  'beginSecondFactor',
  'confirmSecondFactor',
  'renewRecoveryCodes',
]);

/** Open to all callers: credentials in the request are ignored. */
export const PUBLIC: ReadonlySet<string> = new Set([
  'getLiveness',
  'getAcceptance',
  'getReadiness',
  'getKeySet',
  'register',
  'login',
  'loginByLink',
  'refreshSession',
  'logout',
  'forgotPassword',
  'resetPassword',
  'verifyEmail',
  'listPlans',
]);

/** Protected by a signed link, by the operations that accept it. */
export const BEHIND_LINKS: ReadonlySet<string> = new Set([
  'downloadFile',
  'downloadFileHead',
  'uploadFile',
  'sendUploadPart',
  'readUploadHead',
  'removeUpload',
  'downloadUpload',
  'downloadUploadHead',
]);
