/**
 * The whole product behind its REST API, without the splitter, with the accounts of the matrix: a holder who
 * owns one of everything, a stranger, and a leaver whose account will be deleted.
 */
import assert from 'node:assert/strict';
import { until } from '@audiosplit/chassis/testing/until';
import { PASSWORD } from '../../harness/accounts/open-account.ts';
import { send } from '../../harness/accounts/raw.ts';
import {
  aConnection,
  aSplit,
  type GatewayOptions,
  type ScriptedInstallation,
  type ScriptedOptions,
} from '../../harness/installation/scripted.ts';
import { startInstallation } from '../../harness/installation/start-installation.ts';

export type Belongings = Awaited<ReturnType<typeof makeBelongings>>;

type Headers = Readonly<Record<string, string>>;
export type Call = (method: string, path: string, headers: Headers, body?: unknown) => Promise<Response>;

export interface Installation extends AsyncDisposable {
  readonly all: ScriptedInstallation;
  /** The first gateway's, like `call`. */
  readonly url: string;
  readonly call: Call;
  addGateway(options?: GatewayOptions): Promise<{ readonly url: string; readonly call: Call }>;
}

export async function startIsolation(options: Omit<ScriptedOptions, 'kind'> = {}): Promise<Installation> {
  const all = await startInstallation({ kind: 'scripted', ...options });
  const withCall = ({ url }: { readonly url: string }) => ({ url, call: callAt(url) });
  return {
    all,
    ...withCall(all),
    addGateway: async (more) => withCall(await all.addGateway(more)),
    [Symbol.asyncDispose]: () => all[Symbol.asyncDispose](),
  };
}

function callAt(url: string): Call {
  return (method, path, headers, body) => send(url, `${method} ${path}`, { headers, body });
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
export const withKey = (secret: string) => ({ 'x-api-key': secret });

/** The body of a response that must be successful. */
export async function answerOf<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer;
  const text = await response.text();
  assert.ok(response.ok, `${response.status} ${text}`);
  return JSON.parse(text === '' ? 'null' : text);
}

export interface Person {
  readonly name: string;
  readonly accountId: string;
  /** Signs in again, because tokens last only an hour. */
  token(): Promise<string>;
  createKey(fields?: { scopes?: string[]; expiresAt?: string }): Promise<{ id: string; key: string }>;
}

export async function register({ call }: Installation, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const { account } = await answerOf<{ account: { id: string } }>(
    call('POST', '/api/v1/auth/register', {}, { email, password: PASSWORD, name }),
  );
  const token = async () => {
    const session = call('POST', '/api/v1/auth/login', {}, { email, password: PASSWORD });
    return (await answerOf<{ accessToken: string }>(session)).accessToken;
  };
  return {
    name,
    accountId: account.id,
    token,
    createKey: async (fields = {}) =>
      answerOf(call('POST', '/api/v1/api-keys', bearer(await token()), { name: 'a key', ...fields })),
  };
}

/** An export that is ready; another is allowed a day later. */
export async function makeExport({ call }: Installation, holder: Pick<Person, 'token'>): Promise<string> {
  const token = bearer(await holder.token());
  const begun = call('POST', '/api/v1/account/export', token, { format: 'json' });
  const { exportId } = await answerOf<{ exportId: string }>(begun);
  await until(async () => {
    const path = `/api/v1/account/exports/${exportId}`;
    return (await answerOf<{ status: string }>(call('GET', path, token))).status === 'completed';
  }, 'the export is completed');
  return exportId;
}

/**
 * One of everything: an export, a key, a session, a preset, a connection, a batch, a job with a segment, a
 * waiting job, and the delivery of a notification.
 */
export async function makeBelongings(installation: Installation, holder: Person) {
  const { call, all } = installation;
  const exportId = await makeExport(installation, holder);
  const { id: keyId, key } = await holder.createKey();
  const create = async (fields: object = {}) => {
    const answer = call('POST', '/api/v1/splits', withKey(key), { ...aSplit, ...fields });
    return (await answerOf<{ id: string }>(answer)).id;
  };
  const preset = { name: 'my own', request: { splitMode: 'duration', segmentDuration: 30 } };
  const saved = call('POST', '/api/v1/presets', withKey(key), preset);
  const { id: presetId } = await answerOf<{ id: string }>(saved);
  const completedJobId = await create({ webhookUrl: all.hookUrl });
  await all.complete(completedJobId);
  let deliveryId = '';
  const token = bearer(await holder.token());
  await until(async () => {
    const answer = call('GET', '/api/v1/webhooks/deliveries', token);
    const { data } = await answerOf<{ data: { id: string; status: string }[] }>(answer);
    deliveryId = data[0]?.id ?? '';
    return data.length === 2 && data.every(({ status }) => status === 'delivered');
  }, 'both notifications are delivered');
  const batch = { sources: [aSplit.sourceUrl], settings: { splitMode: 'parts', parts: 2 } };
  const { id: batchId } = await answerOf<{ id: string }>(
    call('POST', '/api/v1/batches', withKey(key), batch),
  );
  const { id: connectionId } = await answerOf<{ id: string }>(
    call('POST', '/api/v1/connections', token, aConnection('mine')),
  );
  const sessions = call('GET', '/api/v1/account/sessions', token);
  // The session that was opened with the account; no token of the tests belongs to it.
  const sessionId = (await answerOf<{ data: { id: string }[] }>(sessions)).data.at(-1)?.id ?? '';
  return {
    exportId,
    keyId,
    key,
    presetId,
    batchId,
    connectionId,
    completedJobId,
    queuedJobId: await create(),
    deliveryId,
    sessionId,
  };
}
