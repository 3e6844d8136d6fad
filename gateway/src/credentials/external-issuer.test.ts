/** Access tokens of an external OpenID Connect issuer. Their accounts are tested in tests/product/isolation. */
import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { createLogger } from '@audiosplit/chassis/process/log';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import type { AdmitSubjectRequest } from '@audiosplit/proto/auth/v1/auth';
import { exportSPKI, importJWK } from 'jose';
import { expectError } from '../testing/expect-error.ts';
import { startOidcIssuer } from '../testing/oidc-issuer.ts';
import { startTestGateway } from '../testing/test-gateway.ts';

const MINUTE_MS = 60_000;

describe('an external issuer', () => {
  let admitted: AdmitSubjectRequest[] = [];
  let registered: string[] = [];
  let logged: string[] = [];
  let clock = () => new Date();
  const issuer = forSuite(() => startOidcIssuer(() => clock()));
  const gateway = forSuite(() =>
    startTestGateway({
      config: { jwt: issuer.jwt, trustProxy: ['127.0.0.1'] },
      dependencies: {
        log: createLogger('gateway', 'warn', { write: (line) => void logged.push(JSON.parse(line).msg) }),
      },
      services: {
        auth: {
          admitSubject(request) {
            if (request.knownOnly && !registered.includes(request.subject)) {
              throw new NotFoundError('The account');
            }
            if (request.knownOnly) admitted.push(request);
            else registered.push(request.subject);
            return { accountId: `acc_${request.subject}`, limits: { requestsPerMinute: 100_000 } };
          },
          listApiKeys: () => ({ apiKeys: [], total: 0n }),
        },
      },
    }),
  );
  before(() => {
    clock = gateway.clock;
  });
  const list = (token: string | null, headers: Record<string, string> = {}) =>
    gateway.call('/api/v1/api-keys', { token, headers });
  const accepts = async (token: string) => assert.equal((await list(token)).status, 200);
  const refuses = async (token: string) => void (await expectError(await list(token), 'UNAUTHORIZED'));
  /** Allows another request for the key set. */
  const later = () => gateway.advance(10_000);

  // Covers D-1.15
  it('has its subjects admitted, and passes their verified claims to auth', async () => {
    admitted = [];
    await accepts(
      await issuer.sign({ sub: 'ada', email: 'ada@example.com', email_verified: true, name: 'Ada' }),
    );
    await accepts(await issuer.sign({ sub: 'bob', email: 'bob@example.com', email_verified: false }));
    await accepts(await issuer.sign({ sub: 'cyd', email: 'cyd@example.com' }));
    await accepts(
      await issuer.sign({ sub: 'dan', email: 'dan@example.com', email_verified: 'true', name: '' }),
    );
    const subjects = admitted.map(({ issuer: iss, subject, email, name }) => [iss, subject, email, name]);
    assert.deepEqual(subjects, [
      [issuer.jwt.issuer, 'ada', 'ada@example.com', 'Ada'],
      [issuer.jwt.issuer, 'bob', undefined, undefined],
      [issuer.jwt.issuer, 'cyd', undefined, undefined],
      [issuer.jwt.issuer, 'dan', 'dan@example.com', undefined],
    ]);
  });

  it('causes one call to auth for concurrent requests of a subject, and another one for other claims', async () => {
    admitted = [];
    const token = await issuer.sign({ sub: 'eve' });
    await Promise.all([
      accepts(token),
      accepts(token),
      accepts(await issuer.sign({ sub: 'eve', expiresIn: 9 })),
    ]);
    assert.equal(admitted.length, 1);
    await accepts(await issuer.sign({ sub: 'eve', name: 'Eve' }));
    assert.equal(admitted.length, 2);
  });

  it('counts a first sign-in against the bucket of its address, before the account exists', async () => {
    registered = [];
    const statuses: number[] = [];
    const from = { 'x-forwarded-for': '203.0.113.9' };
    for (let index = 0; index < 62; index++) {
      statuses.push((await list(await issuer.sign({ sub: `subject-${index}` }), from)).status);
    }
    assert.deepEqual(statuses, [...Array(60).fill(200), 429, 429]);
    assert.equal(registered.length, 60);
    const { status, headers } = await list(await issuer.sign({ sub: 'subject-0' }), from);
    assert.deepEqual([status, headers.get('x-ratelimit-limit')], [200, '100000'], 'who is known comes in');
    const late = await list(await issuer.sign({ sub: 'subject-61' }), { 'x-forwarded-for': '203.0.113.10' });
    assert.equal(late.status, 200);
  });

  it('passes the age of the claims to auth, if the token has a valid one', async () => {
    admitted = [];
    for (const iat of [1_000.5, 0, -1, 1e300]) await accepts(await issuer.sign({ sub: 'fay', iat }));
    await refuses(await issuer.sign({ sub: 'fay', iat: 'yesterday' as unknown as number }));
    const seconds = admitted.map(({ issuedAt }) => issuedAt?.seconds);
    assert.deepEqual(seconds, [1_000n, 0n, undefined]);
  });

  // Covers D-1.15 I-5.4
  it('UNAUTHORIZED: expired, not yet valid, for another audience, of another issuer, without a subject', async () => {
    for (const claims of [
      { sub: 'ada', expiresIn: -31 },
      { sub: 'ada', notBefore: 31 },
      { sub: 'ada', aud: 'another' },
      { sub: 'ada', iss: 'https://issuer.example' },
      { sub: '' },
      { sub: 'a'.repeat(256) },
      { sub: 'a\u0000b' },
      { sub: 'á' },
    ]) {
      await refuses(await issuer.sign(claims));
    }
    await refuses(await issuer.sign({ sub: ['ada'] as unknown as string }));
  });

  it('may have a clock half a minute ahead or behind, and may name several audiences', async () => {
    await accepts(await issuer.sign({ sub: 'ada', notBefore: 29 }));
    await accepts(await issuer.sign({ sub: 'ada', expiresIn: -29 }));
    await accepts(await issuer.sign({ sub: 'ada', aud: ['another', issuer.jwt.audience] }));
  });

  for (const algorithm of ['RS256', 'RS512', 'PS256', 'ES256', 'ES384', 'EdDSA']) {
    it(`may sign with ${algorithm}; old tokens stay valid while their key is published`, async () => {
      const old = await issuer.sign({ sub: 'ada' });
      await issuer.rotate({ algorithm });
      const token = await issuer.sign({ sub: 'ada' });
      later();
      await accepts(token);
      await accepts(old);
    });
  }

  it('UNAUTHORIZED: the public key used as a shared secret, and no algorithm at all', async () => {
    await issuer.rotate();
    later();
    const [, payload] = (await issuer.sign({ sub: 'ada' })).split('.');
    await accepts(await issuer.sign({ sub: 'ada' }));
    const jwk = issuer.keys().at(-1);
    assert.ok(jwk?.kid);
    const pem = await exportSPKI((await importJWK(jwk, 'RS256', { extractable: true })) as CryptoKey);
    const head = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: jwk.kid })).toString('base64url');
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk)]) {
      const text = `${head('HS256')}.${payload}`;
      await refuses(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`);
    }
    await refuses(`${head('none')}.${payload}.`);
  });

  it('UNAUTHORIZED: keys that are too short or missing, which do not affect the others', async () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    issuer.publish({ ...short.publicKey.export({ format: 'jwk' }), kid: 'short' });
    issuer.publish({ kty: 'RSA', e: 'AQAB', kid: 'without-modulus' });
    issuer.publish({ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA', kid: 'off-the-curve' });
    issuer.publish({ kty: 'oct', k: 'AAAA', kid: 'shared' });
    later();
    const good = await issuer.sign({ sub: 'ada' });
    const [, payload] = good.split('.');
    for (const [kid, alg] of [
      ['short', 'RS256'],
      ['without-modulus', 'RS256'],
      ['off-the-curve', 'ES256'],
      ['shared', 'HS256'],
    ]) {
      const text = `${Buffer.from(JSON.stringify({ alg, kid })).toString('base64url')}.${payload}`;
      await refuses(`${text}.${sign('sha256', Buffer.from(text), short.privateKey).toString('base64url')}`);
    }
    await accepts(good);
  });

  it('UNAUTHORIZED: keys that it has withdrawn, after five minutes at most', async () => {
    const token = await issuer.sign({ sub: 'ada' });
    await accepts(token);
    await issuer.rotate({ withdraw: true });
    gateway.advance(4 * MINUTE_MS);
    const fresh = await issuer.sign({ sub: 'ada' });
    gateway.advance(MINUTE_MS);
    await refuses(token);
    await accepts(fresh);
  });

  it('receives a request for an unknown key at most every ten seconds, for any number of invented keys', async () => {
    const elsewhere = await startOidcIssuer(gateway.clock);
    await using _elsewhere = elsewhere;
    await elsewhere.rotate({ algorithm: 'ES256' });
    const invented = await elsewhere.sign({ sub: 'ada', iss: issuer.jwt.issuer });
    later();
    const before = issuer.asked;
    for (let attempt = 0; attempt < 20; attempt++) await refuses(invented);
    assert.equal(issuer.asked, before + 1);
  });

  for (const failure of ['error', 'nonsense'] as const) {
    it(`while its key set is unavailable (${failure}), the last known keys stay valid and others have to wait`, async () => {
      await issuer.rotate();
      later();
      const known = await issuer.sign({ sub: 'ada', expiresIn: 3_600 });
      await accepts(known);
      issuer.answer = failure;
      logged = [];
      gateway.advance(20 * MINUTE_MS);
      await accepts(known);
      await issuer.rotate();
      const unknown = await issuer.sign({ sub: 'ada' });
      gateway.advance(1_000);
      const before = issuer.asked;
      for (let attempt = 0; attempt < 5; attempt++) {
        await expectError(await list(unknown), 'SERVICE_UNAVAILABLE');
      }
      assert.equal(issuer.asked, before + 1, 'asked once a second');
      assert.deepEqual(
        logged.filter((message) => message.startsWith('the key set')),
        ['the key set of access tokens cannot be read; the last one stays in use'],
      );
      issuer.answer = 'keys';
      gateway.advance(1_000);
      await accepts(unknown);
    });
  }

  it('SERVICE_UNAVAILABLE while it has never responded, with at most one request per second', async () => {
    await using silent = await startOidcIssuer(() => clock());
    silent.answer = 'error';
    await using other = await startTestGateway({ config: { jwt: silent.jwt } });
    const token = await silent.sign({ sub: 'ada' });
    for (let attempt = 0; attempt < 5; attempt++) {
      await expectError(await other.call('/api/v1/billing', { token }), 'SERVICE_UNAVAILABLE');
    }
    assert.equal(silent.asked, 1);
  });

  it('NOT_FOUND: the sign-in of the product itself, whose error names the issuer', async () => {
    for (const [path, json] of [
      ['register', { email: 'ada@example.com', password: 'correct horse battery' }],
      ['login', { email: 'ada@example.com', password: 'correct horse battery' }],
      ['refresh', { refreshToken: 'a token' }],
      ['logout', { refreshToken: 'a token' }],
    ] as const) {
      const answer = await gateway.call(`/api/v1/auth/${path}`, { method: 'POST', json, token: null });
      const { message } = await expectError(answer, 'NOT_FOUND');
      assert.ok(message.includes(issuer.jwt.issuer), message);
    }
  });

  it('UNAUTHORIZED: a token of the product itself, which is not valid beside the issuer', async () => {
    await refuses(await gateway.issuer.sign({ sub: 'acc_test', issuer: issuer.jwt.issuer }));
  });
});
