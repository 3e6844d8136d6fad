/** One example for every request body in the API description, by operation; several where they differ much. */
import { newConnection } from './connection-examples.ts';
import { endpoint, requestFields, savedPreset } from './examples.ts';
import { profile } from './invoice-examples.ts';
import { CUT_EXAMPLES } from './split-modes.ts';

export const REQUEST_EXAMPLES: Readonly<Record<string, unknown>> = {
  register: { email: 'ada@example.org', password: 'a long enough password', name: 'Ada' },
  login: { email: 'ada@example.org', password: 'a long enough password' },
  loginByLink: { token: 'the-token-of-the-link-that-was-mailed' },
  forgotPassword: { email: 'ada@example.org' },
  resetPassword: { token: 'the-token-of-the-link-that-was-mailed', password: 'another long enough password' },
  verifyEmail: { token: 'the-token-of-the-link-that-was-mailed' },
  changePassword: { current: 'a long enough password', password: 'another long enough password' },
  beginSecondFactor: { current: 'a long enough password' },
  confirmSecondFactor: { code: '287082' },
  renewRecoveryCodes: { current: 'a long enough password', code: '287082' },
  removeSecondFactor: { current: 'a long enough password', code: '287082' },
  changeEmail: { email: 'ada@example.com', current: 'a long enough password' },
  refreshSession: { refreshToken: 'the-refresh-token-as-it-was-given' },
  logout: { refreshToken: 'the-refresh-token-as-it-was-given' },
  createBatch: {
    sources: ['https://example.org/audio/episode-7.mp3', 'episode-8.mp3'],
    settings: savedPreset.request,
  },
  cancelBatch: {},
  retryBatch: {},
  savePreset: savedPreset,
  createConnection: { ...newConnection, secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  testConnection: {},
  createApiKey: { name: 'Podcast pipeline', scopes: ['splits:read', 'splits:write'], expiresAt: null },
  updateApiKey: { name: 'Podcast pipeline, read only', scopes: ['splits:read'] },
  rotateApiKey: { graceSeconds: 3_600 },
  cancelSplit: {},
  createUpload: { fileName: 'episode-7.mp3' },
  deleteAccount: { confirmation: 'DELETE MY ACCOUNT' },
  createExport: { format: 'json', webhookUrl: 'https://example.org/hooks/audio' },
  subscribe: { planId: 'plan_pro' },
  changePlan: { planId: 'plan_starter' },
  cancelSubscription: { reason: 'The project has ended.', immediate: false },
  setPaymentMethod: { token: 'tok_visa' },
  setWebhookEndpoint: endpoint,
  setBillingProfile: profile,
  setSpendLimit: { amount: 49_000 },
  setSandboxClock: { now: '2027-05-01T00:00:00.000Z' },
};

/** Bodies with several examples, by the title of each. */
export const REQUEST_EXAMPLE_SETS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  createSplit: Object.fromEntries(
    CUT_EXAMPLES.map(({ splitMode, ...cut }) => [
      splitMode,
      {
        sourceUrl: 'https://example.org/audio/episode-7.mp3',
        splitMode,
        ...cut,
        ...(splitMode === 'duration' ? requestFields : {}),
      },
    ]),
  ),
};
