/**
 * A change through one gateway takes effect at another within a second, although both have it in a warm
 * cache. This also holds when the bus loses every event, because gateways do not listen to events: they query
 * the auth service again before the second is over. The installation's clock moves only when the test moves
 * it, so that a second is a second on any machine.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import type { EventBus } from '@audiosplit/chassis/event-bus/event-bus';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { createMemoryRateLimiter } from '@audiosplit/gateway/rate-limit/memory';
import { expectError } from '@audiosplit/gateway/testing/expect-error';
import {
  answerOf,
  bearer,
  type Call,
  type Person,
  register,
  startIsolation,
  withKey,
} from './installation.fixture.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** @param busFor Returns the bus that the services use instead of the tests' bus. */
export function testSeveralGateways(name: string, busFor: (bus: EventBus) => EventBus): void {
  describe(`several gateways ${name}`, () => {
    const installation = forSuite(() => startIsolation({ busFor }));
    let gateways: readonly [Call, Call];
    let people = 0;
    before(async () => {
      gateways = [installation.call, (await installation.addGateway()).call];
    });

    const newPerson = () => register(installation, `person-${people++}`);
    const listWith = (key: string) =>
      Promise.all(gateways.map((call) => call('GET', '/api/v1/splits', withKey(key))));
    const warm = async (key: string) => {
      for (const answer of await listWith(key)) assert.equal(answer.status, 200);
    };
    const refusedEverywhere = async (key: string) => {
      for (const answer of await listWith(key)) await expectError(answer, 'UNAUTHORIZED');
    };
    const change = async (person: Person, method: string, path: string, body?: object) =>
      answerOf<unknown>(gateways[0](method, path, bearer(await person.token()), body));

    // Covers D-1.24
    it('a revoked key is rejected', async () => {
      const person = await newPerson();
      const { id, key } = await person.createKey();
      await warm(key);
      await change(person, 'DELETE', `/api/v1/api-keys/${id}`);
      installation.all.advance(SECOND_MS);
      await refusedEverywhere(key);
    });

    // Covers D-1.25
    it('a rotated key is rejected at once without a grace period, and exactly at the end of one', async () => {
      const person = await newPerson();
      const first = await person.createKey();
      await warm(first.key);
      const second = await answerOf<{ key: string }>(
        gateways[0]('POST', `/api/v1/api-keys/${first.id}/rotate`, bearer(await person.token()), {}),
      );
      installation.all.advance(SECOND_MS);
      await refusedEverywhere(first.key);
      await warm(second.key);
      await change(person, 'POST', `/api/v1/api-keys/${first.id}/rotate`, { graceSeconds: 5 });
      installation.all.advance(4_500);
      await warm(second.key);
      installation.all.advance(500);
      await refusedEverywhere(second.key);
    });

    it('a removed scope is missing, and a new expiry applies', async () => {
      const person = await newPerson();
      const { id, key } = await person.createKey();
      await warm(key);
      await change(person, 'PATCH', `/api/v1/api-keys/${id}`, { scopes: ['keys:manage'] });
      installation.all.advance(SECOND_MS);
      for (const answer of await listWith(key)) await expectError(answer, 'INSUFFICIENT_SCOPE');
      const expiresAt = new Date(installation.all.context.clock().getTime() + 1_500).toISOString();
      await change(person, 'PATCH', `/api/v1/api-keys/${id}`, { scopes: ['splits:read'], expiresAt });
      installation.all.advance(SECOND_MS);
      await warm(key);
      installation.all.advance(500);
      await refusedEverywhere(key);
    });

    // Covers D-6.1 D-6.6 D-9.24
    it('the keys of an account with a pending deletion are rejected, and its tokens except for restoring', async () => {
      const person = await newPerson();
      const { key } = await person.createKey();
      await warm(key);
      const token = bearer(await person.token());
      await change(person, 'DELETE', '/api/v1/account', { confirmation: 'DELETE MY ACCOUNT' });
      installation.all.advance(SECOND_MS);
      await refusedEverywhere(key);
      for (const call of gateways) {
        await expectError(await call('GET', '/api/v1/billing', token), 'ACCOUNT_PENDING_DELETION');
      }
    });

    it('signing keys change without a rejected token, and are known before they are used', async () => {
      const { all } = installation;
      const person = await newPerson();
      const accepted = async (token: string) => {
        for (const call of gateways) {
          assert.equal((await call('GET', '/api/v1/billing', bearer(token))).status, 200);
        }
      };
      const publishedBy = async (call: Call) => {
        const { keys } = await answerOf<{ keys: { kid: string }[] }>(
          call('GET', '/.well-known/jwks.json', {}),
        );
        return keys.map(({ kid }) => kid);
      };
      const published = () => Promise.all(gateways.map(publishedBy));
      const signerOf = (token: string): string =>
        JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
      const first = signerOf(await person.token());

      all.advance(29 * DAY_MS);
      await all.runTask('auth', 'rotate-signing-keys');
      all.advance(5 * MINUTE_MS);
      const [known, alsoKnown] = await published();
      assert.deepEqual(known, alsoKnown);
      const [second] = (known ?? []).filter((kid) => kid !== first);
      assert.ok(second !== undefined, 'the successor is published');
      all.advance(DAY_MS - 10 * MINUTE_MS);
      const last = await person.token();
      assert.equal(signerOf(last), first, 'a day before its use');
      all.advance(10 * MINUTE_MS);
      const next = await person.token();
      assert.equal(signerOf(next), second);
      await accepted(next);
      await accepted(last);

      all.advance(2 * HOUR_MS);
      await all.runTask('auth', 'rotate-signing-keys');
      all.advance(5 * MINUTE_MS);
      for (const kids of await published()) assert.deepEqual(kids, [second], 'its last token has expired');
      await accepted(await person.token());
    });

    it('a plan applies to the next request at the gateway that sold it, and at the other', async () => {
      const { clock } = installation.all.context;
      const sold = await installation.addGateway({ limiter: createMemoryRateLimiter(clock) });
      const other = await installation.addGateway({ limiter: createMemoryRateLimiter(clock) });
      const person = await newPerson();
      const { key } = await person.createKey();
      const token = bearer(await person.token());
      const limitsAt = async (call: Call) => {
        const answers = [
          await call('GET', '/api/v1/splits', withKey(key)),
          await call('GET', '/api/v1/billing', token),
        ];
        return answers.map(({ headers }) => Number(headers.get('x-ratelimit-limit')));
      };
      const buy = async (method: string, path: string, body: object) => {
        await answerOf(sold.call(method, `/api/v1/billing/${path}`, token, body));
      };
      await buy('PUT', 'payment-method', { token: 'tok_visa' });
      assert.deepEqual(await limitsAt(other.call), [10, 10]);
      for (const [path, body, limit] of [
        ['subscribe', { planId: 'plan_starter' }, 60],
        ['change-plan', { planId: 'plan_pro' }, 300],
        ['cancel', { immediate: true }, 10],
      ] as const) {
        assert.notEqual((await limitsAt(sold.call))[0], limit, 'warm with what held before');
        await buy('POST', path, body);
        assert.deepEqual(await limitsAt(sold.call), [limit, limit], path);
        installation.all.advance(SECOND_MS);
        assert.deepEqual(await limitsAt(other.call), [limit, limit], path);
      }
    });
  });
}
