/**
 * Tries every endpoint of the gateway with every credential that must not open it: the documented refusal is
 * returned, and nothing changes. The endpoints come from the API description, so that a new one fails here
 * until it has a row in `endpoints.fixture.ts`.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { ErrorCode } from '@audiosplit/gateway/http/errors/error-codes';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import { descriptionCheckOf } from '../../harness/accounts/checked-fetch.ts';
import { attemptsOn } from './attempts.fixture.ts';
import { type Credentials, makeCredentials, SCOPES } from './credentials.fixture.ts';
import { BEHIND_LINKS, GUARDED, PUBLIC } from './endpoints.fixture.ts';
import { startWithHolder } from './holder.fixture.ts';
import { answerOf, bearer, register, withKey } from './installation.fixture.ts';
import type { Operation } from './operations.fixture.ts';
import { readState, settledState } from './state.fixture.ts';

describe('isolation', () => {
  const installation = forSuite(startWithHolder);
  const operation = (id: string) => installation.operation(id);
  let credentials: Credentials;
  before(async () => {
    const stranger = await register(installation, 'stranger');
    const leaver = await register(installation, 'leaver');
    credentials = await makeCredentials(installation, { holder: installation.holder, stranger, leaver });
    for (const token of [credentials.goodToken, credentials.strangersToken]) {
      const answer = await installation.call('GET', '/api/v1/webhooks/secret', bearer(token));
      assert.equal(answer.status, 200);
    }
  });

  async function send(id: string, headers: Readonly<Record<string, string>>): Promise<Response> {
    const check = await descriptionCheckOf(installation.url);
    const response = await installation.send(id, headers);
    await check(operation(id).method, new URL(response.url), response);
    return response;
  }

  it('has a row for every endpoint, with the credential that opens it', () => {
    const { operations } = installation;
    const named = (isOf: (each: Operation) => boolean) => operations.filter(isOf).map(({ id }) => id);
    const isGuarded = ({ takesToken, scope }: Operation) => takesToken || scope !== undefined;
    assert.deepEqual(named(isGuarded).sort(), Object.keys(GUARDED).sort());
    assert.deepEqual(named((each) => !isGuarded(each)).sort(), [...PUBLIC, ...BEHIND_LINKS].sort());
    const scopes = new Set(operations.flatMap(({ scope }) => scope ?? []));
    assert.deepEqual(scopes, new Set(SCOPES), 'each scope opens something');
  });

  for (const id of Object.keys(GUARDED)) {
    // Covers I-4.0.2 I-5.3 I-5.4 I-7.5 D-1.22 D-7.3
    it(`${id}: each wrong credential is rejected, and nothing changes`, async () => {
      const state = await settledState(installation.all);
      const attempts = attemptsOn(operation(id), credentials).map(async ({ by, headers, refusal }) => {
        const response = await send(id, headers);
        await assert.doesNotReject(expectRefusal(operation(id), response, refusal), `${id} ${by}`);
      });
      await Promise.all(attempts);
      assert.deepEqual(await readState(installation.all), state, 'as it was before');
    });
  }

  it('lists and details without a resource id show nothing of the holder to another account', async () => {
    const { holder, belongings } = installation;
    const secrets = [holder.accountId, 'holder@example.com', ...Object.values(belongings)];
    const lists = Object.keys(GUARDED).filter((id) => {
      const { method, template } = operation(id);
      return method === 'GET' && !template.includes('{') && GUARDED[id]?.toOthers === undefined;
    });
    assert.ok(lists.length >= 9);
    for (const id of lists) {
      const { strangersToken, strangersKey } = credentials;
      const response = await send(id, bestOf(operation(id), strangersToken, strangersKey));
      const text = await response.text();
      assert.equal(response.status, 200, `${id}: ${text}`);
      const shown = secrets.filter((secret) => text.includes(secret));
      assert.deepEqual(shown, [], id);
    }
  });

  it('HEAD is as protected as GET', async () => {
    for (const { method, template, takesToken, scope } of installation.operations) {
      if (method !== 'GET' || (!takesToken && scope === undefined)) continue;
      const path = template.replaceAll(/\{\w+\}/g, installation.belongings.completedJobId);
      const { status } = await installation.call('HEAD', path, {});
      assert.ok(status === 401 || status === 405, `${path}: ${status}`);
    }
  });

  it('public endpoints ignore credentials, and respond in the same way to bad ones', async () => {
    const bad = { ...bearer('not-a-token'), ...withKey('not-a-key') };
    for (const id of PUBLIC) {
      const { method, template } = operation(id);
      const statusWith = async (headers: Readonly<Record<string, string>>) =>
        (await installation.call(method, template, headers, method === 'GET' ? undefined : {})).status;
      const status = await statusWith({});
      assert.equal(status, method === 'GET' ? 200 : 400, id);
      assert.equal(await statusWith(bad), status, id);
    }
  });

  it('signed links open only their own target, and credentials do not replace them', async () => {
    const { all } = installation;
    const key = withKey(credentials.goodKey);
    const split = await answerOf<{ segments: { downloadUrl: string }[] }>(send('getSplit', key));
    const upload = await answerOf<{ uploadUrl: string; sourceUrl: string }>(send('createUpload', key));
    const fetchWith = (method: string, link: string, headers = {}) =>
      fetch(link, { method, headers, ...(method === 'PUT' ? { body: 'mp3' } : {}) });
    const links = [
      ['GET', split.segments[0]?.downloadUrl ?? '', 200],
      ['PUT', upload.uploadUrl, 204],
      ['GET', upload.sourceUrl, 200],
    ] as const;
    const state = await settledState(all);
    for (const [method, link] of links) {
      const bare = link.slice(0, link.indexOf('?'));
      const elsewhere = link.replace('?', 'x?');
      for (const [bad, headers] of [
        [bare, {}],
        [bare, key],
        [elsewhere, key],
        [`${link}0`, {}],
      ] as const) {
        await expectError(await fetchWith(method, bad, headers), 'INVALID_SIGNATURE');
      }
    }
    await expectError(await fetchWith('PUT', upload.sourceUrl), 'INVALID_SIGNATURE');
    await expectError(await fetchWith('GET', upload.uploadUrl), 'INVALID_SIGNATURE');
    assert.deepEqual(await readState(all), state);
    for (const [method, link, status] of links)
      assert.equal((await fetchWith(method, link)).status, status, link);
  });

  it('opens to its owner, so that every rejection above was caused by the credential', async () => {
    const before = await settledState(installation.all);
    for (const [id, { status }] of Object.entries(GUARDED)) {
      const response = await send(id, bestOf(operation(id), credentials.goodToken, credentials.goodKey));
      const text = await response.text();
      assert.equal(response.status, status, `${id}: ${text}`);
    }
    const after = await readState(installation.all);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    for (const table of ['auth.api_keys', 'jobs.jobs', 'billing.subscriptions', 'webhooks.signing_secrets'])
      assert.ok(changed.includes(table), `a change of ${table} shows`);
  });
});

/** A key opens it if keys are accepted, else a token. */
function bestOf({ scope }: Operation, token: string, key: string) {
  return scope === undefined ? bearer(token) : withKey(key);
}

async function expectRefusal(
  { method, scope, takesToken }: Operation,
  response: Response,
  refusal: ErrorCode,
): Promise<void> {
  const challenge = response.headers.get('www-authenticate');
  if (refusal === 'UNAUTHORIZED') assert.match(challenge ?? '', takesToken ? /^Bearer / : /^ApiKey /);
  else assert.equal(challenge, null);
  const accepted = response.headers.get('x-accepted-scopes');
  assert.equal(accepted, refusal === 'INSUFFICIENT_SCOPE' ? scope : null);
  if (method !== 'HEAD') await expectError(response, refusal);
}
