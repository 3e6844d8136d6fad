/**
 * Runs every sample of the API reference, unchanged, against the product. Only the splitting is simulated.
 */
import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Env } from '@audiosplit/chassis/process/env';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { type Command, runCommand } from '../harness/installation/as-a-user/command.ts';
import { startInstallation } from '../harness/installation/start-installation.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { skippedWithout } from './guide-programs.fixture.ts';
import { openSampleReader, type SampleReader } from './reference-samples.fixture.ts';

const SUITE_TIMEOUT_MS = 280_000;
const SOURCE = 'episode-7.mp3';

type Prepare = (reader: SampleReader) => Env | Promise<Env>;
const nothing: Prepare = (reader) => reader.base();
const signedIn: Prepare = (reader) => reader.signedIn();
const onEndedJob: Prepare = (reader) => reader.onEndedJob();
const withKeyId: Prepare = (reader) => reader.withKeyId();
const withCode: Prepare = (reader) => reader.stillSignedIn({ CODE: reader.withCode() });
const withWebhook: Prepare = (reader) => reader.withKey().then((env) => reader.signedIn(env));

/** In this order, because one account goes through all of them. */
const PREPARE: Readonly<Record<string, Prepare>> = {
  getLiveness: nothing,
  getAcceptance: nothing,
  getReadiness: nothing,
  getKeySet: nothing,
  listPlans: nothing,
  register: (reader) => reader.credentials(),
  login: (reader) => reader.credentials(),
  refreshSession: (reader) => reader.withRefreshToken(),
  logout: (reader) => reader.withRefreshToken(),
  requestVerification: signedIn,
  verifyEmail: (reader) => reader.verifying(),
  forgotPassword: (reader) => reader.credentials(),
  resetPassword: (reader) => reader.resettingPassword(),
  getAccount: signedIn,
  getSecurity: signedIn,
  changePassword: (reader) => reader.changingPassword(),
  listSessions: signedIn,
  endSession: (reader) => reader.onSession(),
  endOtherSessions: signedIn,
  createApiKey: signedIn,
  listApiKeys: signedIn,
  getApiKey: withKeyId,
  updateApiKey: withKeyId,
  rotateApiKey: withKeyId,
  revokeApiKey: withKeyId,
  createSplit: (reader) => reader.creatingJob(),
  listSplits: (reader) => reader.withKey(),
  searchSplits: (reader) => reader.withKey(),
  getSplit: onEndedJob,
  followSplit: onEndedJob,
  getSplitWaveform: onEndedJob,
  downloadSplitArchive: onEndedJob,
  downloadSplitArchiveHead: onEndedJob,
  downloadFile: (reader) => reader.withDownload(),
  downloadFileHead: (reader) => reader.withDownload(),
  cancelSplit: (reader) => reader.onQueuedJob(),
  deleteSplit: onEndedJob,
  getBatch: (reader) => reader.onEndedBatch(),
  cancelBatch: (reader) => reader.onQueuedBatch(),
  retryBatch: (reader) => reader.onEndedBatch(),
  downloadBatchArchive: (reader) => reader.onEndedBatch(),
  downloadBatchArchiveHead: (reader) => reader.onEndedBatch(),
  createBatch: (reader) => reader.withKey(),
  createConnection: signedIn,
  listConnections: signedIn,
  testConnection: (reader) => reader.onConnection(),
  deleteConnection: (reader) => reader.onConnection(),
  savePreset: (reader) => reader.withKey(),
  listPresets: (reader) => reader.withKey(),
  deletePreset: (reader) => reader.onPreset(),
  createUpload: (reader) => reader.withKey(),
  uploadFile: (reader) => reader.withUpload(false),
  createResumableUpload: (reader) => reader.withKey(),
  readUploadHead: (reader) => reader.withResumableUpload(),
  sendUploadPart: (reader) => reader.withResumableUpload(),
  removeUpload: (reader) => reader.withResumableUpload(),
  downloadUpload: (reader) => reader.withUpload(true),
  downloadUploadHead: (reader) => reader.withUpload(true),
  setWebhookEndpoint: withWebhook,
  getWebhookEndpoint: signedIn,
  testWebhookEndpoint: signedIn,
  listDeliveries: signedIn,
  replayDelivery: (reader) => reader.onDelivery(),
  deleteWebhookEndpoint: signedIn,
  getWebhookSecret: signedIn,
  rotateWebhookSecret: signedIn,
  createExport: withWebhook,
  listExports: signedIn,
  getExport: (reader) => reader.onExport(),
  setPaymentMethod: signedIn,
  subscribe: signedIn,
  changePlan: signedIn,
  getBilling: signedIn,
  getUsage: signedIn,
  setSpendLimit: signedIn,
  getSpendLimit: signedIn,
  setBillingProfile: signedIn,
  getBillingProfile: signedIn,
  listInvoices: signedIn,
  payInvoice: (reader) => reader.onOpenInvoice(),
  cancelSubscription: signedIn,
  setSandboxClock: (reader) => reader.movingClock(),
  deletePaymentMethod: signedIn,
  beginSecondFactor: signedIn,
  confirmSecondFactor: (reader) => reader.confirmingSecondFactor(),
  renewRecoveryCodes: withCode,
  removeSecondFactor: withCode,
  changeEmail: (reader) => reader.signedIn({ NEW_EMAIL: `new-${reader.credentials().AUDIOSPLIT_EMAIL}` }),
  deleteAccount: signedIn,
  restoreAccount: (reader) => reader.stillSignedIn(),
  loginByLink: (reader) => reader.signingInByLink(),
};

/** How samples of each language are run, by the language's label. */
const LANGUAGES: Readonly<Record<string, { readonly fence: string; readonly command: Command }>> = {
  curl: { fence: 'sh', command: ['bash', '--noprofile', '--norc', 'sample'] },
  JavaScript: { fence: 'js', command: [process.execPath, 'sample.mjs'] },
  Python: { fence: 'py', command: ['python3', 'sample'] },
};

interface Operation {
  readonly operationId: string;
  readonly 'x-codeSamples': readonly { readonly label: string; readonly source: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: object }>> };
}

describe('the API reference', { timeout: SUITE_TIMEOUT_MS }, () => {
  const all = forSuite(() => startInstallation({ kind: 'scripted' }));
  const temporary = forSuite(temporaryFolder);
  const operations = async () => {
    const { paths } = await all.description<{ paths: Record<string, Record<string, Operation>> }>();
    return Object.values(paths).flatMap((item) => Object.values(item));
  };

  test('every operation has a sample in each language, and every sample is run', async () => {
    const described = await operations();
    assert.deepEqual(described.map(({ operationId }) => operationId).sort(), Object.keys(PREPARE).sort());
    for (const operation of described) {
      const labels = operation['x-codeSamples'].map(({ label }) => label);
      assert.deepEqual(labels, Object.keys(LANGUAGES), operation.operationId);
    }
  });

  test('each example of a cut is accepted', async () => {
    const { create } = await all.register();
    const creation = (await operations()).find(({ operationId }) => operationId === 'createSplit');
    const examples = Object.values(creation?.requestBody?.content['application/json']?.examples ?? {});
    assert.ok(examples.length > 1);
    for (const { value } of examples) await create({ ...value, webhookUrl: all.hookUrl });
  });

  for (const [label, { fence, command }] of Object.entries(LANGUAGES)) {
    describe(label, skippedWithout(fence), () => {
      let reader: SampleReader;
      for (const [operationId, prepare] of Object.entries(PREPARE)) {
        test(`${operationId} in ${label}`, async () => {
          reader ??= openSampleReader(all, `${label.toLowerCase()}@example.com`);
          const operation = (await operations()).find((each) => each.operationId === operationId);
          const sample = operation?.['x-codeSamples'].find((each) => each.label === label);
          assert.ok(sample);
          const cwd = await mkdtemp(join(temporary.path, 'sample-'));
          await writeFile(join(cwd, SOURCE), 'a file');
          await writeFile(join(cwd, command.at(-1) ?? ''), sample.source);
          const env = await prepare(reader);
          const { code, stdout, stderr } = await runCommand(command, { cwd, env });
          assert.deepEqual([code, stderr], [0, ''], `${sample.source}\n${stdout}`);
        });
      }
    });
  }
});
