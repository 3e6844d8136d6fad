/**
 * Hostile or malformed input. Every response is one that the description allows, every error has the envelope, and
 * every call below /api/v1 is counted.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import fc from 'fast-check';
import { readJson } from '../../testing/read-json.ts';
import { type Field, jsonBody, startHostileTarget } from './hostile-requests.fixture.ts';

const RUNS = { seed: 20_261_121, numRuns: 100 };
const PATIENCE_MS = 20;

const words = (text: string) => fc.constantFrom(...text.split(' '));
const utf8 = (text: string) => Buffer.from(text).toString('latin1');
const character = (code: number) => String.fromCharCode(code);
const anyByte = fc.string({ unit: fc.nat({ max: 0xff }).map(character) });
const visibleByte = fc
  .oneof(fc.integer({ min: 0x21, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }))
  .map(character);
const long = (character: string, maxLength: number) =>
  fc.integer({ min: 1, max: maxLength }).map((length) => character.repeat(length));

describe('hostile requests', () => {
  const target = forSuite(startHostileTarget);

  test('in headers', async () => {
    const name = words(
      'X-Request-Id Traceparent Idempotency-Key Authorization X-API-Key Content-Type Last-Event-ID Range Accept ' +
        'Content-Encoding X-Forwarded-For Cookie If-None-Match',
    );
    const value = fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: fc.oneof(visibleByte, words(' \t')), maxLength: 300 }) },
      { weight: 2, arbitrary: fc.oneof(words(`null 0 -1 true * ,, " ${utf8('é😀')}`), fc.constant('')) },
      { weight: 1, arbitrary: anyByte },
      { weight: 1, arbitrary: long('x', 20_000) },
    );
    const call = words(
      'GET:/api/v1/splits POST:/api/v1/splits GET:/api/v1/splits/job_1/events POST:/api/v1/api-keys ' +
        'POST:/api/v1/auth/login',
    );
    const fields = fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(call, fields, fc.boolean(), async (route, given, isKnown) => {
        const [method = '', path = ''] = route.split(':');
        await target.sendTo({
          method,
          target: path,
          headers: [...(isKnown ? [target.apiKeyField] : []), ...given],
        });
      }),
      RUNS,
    );
  });

  test('in paths', async () => {
    const piece = fc.oneof(
      words('/ // . .. % %zz %00 %2e%2e %2F %5c \\ %C0%AF %F0%9F * :jobId ( ;a=b @ ~ # %25 %E2%80%AE'),
      words(`splits events archive static index.html .well-known __proto__ job_1 ${utf8('ünïcode')}`),
      long('a', 9_000),
      fc.string({ unit: visibleByte, maxLength: 20 }),
    );
    const prefix = words(
      '/api/v1/ /api/v1/splits/ /api/v1/api-keys/ /downloads/ /uploads/ /docs/ /docs/reference/ / /api/ /%61pi/v1/ ' +
        'http://localhost/api/v1/plans x',
    );
    const method = words('GET HEAD POST PUT PATCH DELETE OPTIONS QUERY LINK');
    await fc.assert(
      fc.asyncProperty(method, prefix, fc.array(piece, { maxLength: 6 }), async (verb, start, pieces) => {
        const request = { method: verb, target: `${start}${pieces.join('')}`, headers: [target.apiKeyField] };
        assert.equal((await target.send(request)).length, 1);
      }),
      { ...RUNS, numRuns: 250 },
    );
  });

  test('in queries', async () => {
    const text = fc.string({ maxLength: 12 }).map(encodeURIComponent);
    const name = fc.oneof(
      words('page limit status sortBy sortOrder page[] __proto__ constructor toString'),
      text,
    );
    const value = fc.oneof(
      words('1 2 0 -1 1e2 01 +1 %31 999999999999999999 queued asc % %00 %FF 1;limit=2 NaN'),
      text,
    );
    const pairs = fc.array(fc.tuple(name, value), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pairs, words('& && ; &=&'), async (given, between) => {
        const query = given.map((pair) => pair.join('=')).join(between);
        const request = { method: 'GET', target: `/api/v1/splits?${query}`, headers: [target.apiKeyField] };
        await target.sendTo(request, '/api/v1/splits');
      }),
      RUNS,
    );
  });

  test('in bodies', async () => {
    const value = fc.oneof(
      words(
        '"\\ud800" "\\udc00\\ud800" "\\u0000" "a\\u202eb" 1e999 -0 1E-999 12345678901234567890 null [] {} ""',
      ),
      words('true "duration" "fileSize" 30 "https://example.com/a.mp3" ["splits:read","splits:read"]'),
      fc.integer({ min: 1, max: 20_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
      fc.integer({ min: 1, max: 3_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
      long('x', 270_000).map((text) => `"${text}"`),
      fc.json().map(utf8),
    );
    const name = fc.oneof(
      words('sourceUrl splitMode segmentDuration metadata name scopes expiresAt email password'),
      words('__proto__ constructor prototype toString \\u005f_proto__ \\ud800'),
    );
    const object = fc
      .array(fc.tuple(name, value), { maxLength: 6 })
      .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join(',')}}`);
    const body = fc.oneof(
      { weight: 5, arbitrary: object },
      { weight: 1, arbitrary: object.map((text) => `\xef\xbb\xbf${text}`) },
      { weight: 1, arbitrary: fc.tuple(object, fc.nat(200)).map(([text, end]) => text.slice(0, end)) },
      { weight: 1, arbitrary: fc.tuple(object, anyByte).map((parts) => parts.join('')) },
      { weight: 1, arbitrary: value },
      { weight: 1, arbitrary: anyByte },
    );
    await fc.assert(
      fc.asyncProperty(words('splits api-keys auth/login'), body, async (path, given) => {
        const { headers, ...rest } = jsonBody(given);
        const credential = path === 'splits' ? target.apiKeyField : target.tokenField;
        const request = { method: 'POST', target: `/api/v1/${path}`, headers: [credential, ...headers] };
        await target.sendTo({ ...request, ...rest });
      }),
      RUNS,
    );
  });

  test('in the declared length of a body', async () => {
    const length = fc.oneof(
      fc.constantFrom(
        '0',
        '2',
        '3',
        '-1',
        '+2',
        '0x2',
        '2, 2',
        '2,3',
        '',
        ' ',
        '1e1',
        '9'.repeat(20),
        '262145',
      ),
      fc.nat(50).map(String),
    );
    const coding = fc.constantFrom('chunked', 'Chunked', 'gzip, chunked', 'chunked, chunked', 'xchunked', '');
    const named = (name: string) => (value: string) => [name, value] as const;
    const field: fc.Arbitrary<Field> = fc.oneof(
      length.map(named('Content-Length')),
      coding.map(named('Transfer-Encoding')),
      words('gzip br identity').map(named('Content-Encoding')),
      words('100-continue wonders').map(named('Expect')),
    );
    const body = fc.constantFrom(
      ...['{}', '', '2\r\n{}\r\n0\r\n\r\n', '2;x=y\r\n{}\r\n0\r\nA: b\r\n\r\n', 'zz\r\n{}\r\n', '2\r\n{}'],
      ...['-1\r\n', `${'f'.repeat(17)}\r\n`],
      ...['0\r\n\r\nGET /api/v1/plans HTTP/1.1\r\n\r\n', '{}GET /healthz HTTP/1.1\r\n\r\n'],
    );
    const type = ['Content-Type', 'application/json'] as const;
    await fc.assert(
      fc.asyncProperty(
        words('POST GET DELETE QUERY'),
        fc.array(field, { maxLength: 3 }),
        body,
        async (method, fields, given) => {
          const request = { method, target: '/api/v1/auth/login', headers: [type, ...fields], body: given };
          // A body that breaks off early gets no response.
          assert.ok((await target.send(request, { patienceMs: PATIENCE_MS })).length <= 2);
        },
      ),
      { ...RUNS, numRuns: 150 },
    );
  });

  test('half a surrogate pair is rejected with the name of its field, and not replaced', async () => {
    const { headers, body } = jsonBody('{"name":"a\\ud800"}');
    const request = { method: 'POST', target: '/api/v1/api-keys', headers: [target.tokenField, ...headers] };
    const { error } = await readJson<{ error: { code: string; details: unknown } }>(
      await target.sendTo({ ...request, body }),
    );
    assert.equal(error.code, 'INVALID_PARAMS');
    const message = 'must not hold the character U+0000, nor half a surrogate pair';
    assert.deepEqual(error.details, [{ field: 'name', message }]);
  });

  test('a body that is nested too deeply is rejected', async () => {
    const { headers, body } = jsonBody(`{"name":"a","scopes":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`);
    const request = { method: 'POST', target: '/api/v1/api-keys', headers: [target.tokenField, ...headers] };
    assert.equal((await target.sendTo({ ...request, body })).status, 400);
  });

  test('a target in absolute form works like any other', async () => {
    const request = {
      method: 'GET',
      target: 'http://localhost/api/v1/splits',
      headers: [target.apiKeyField],
    };
    assert.equal((await target.sendTo(request, '/api/v1/splits')).status, 200);
  });

  for (const method of ['QUERY', 'PUT', 'LINK']) {
    test(`405 before the body of ${method} is read`, async () => {
      const headers = [['Content-Type', 'text/plain'] as const, ['Content-Length', '2'] as const];
      const [answer] = await target.send({ method, target: '/api/v1/plans', headers, body: '{}' });
      assert.equal(answer?.status, 405);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD');
    });
  }

  test('rejections may not be cached either', async () => {
    for (const path of ['/api/v1/splits', '/api/v1/nothing']) {
      const [answer] = await target.send({ method: 'GET', target: path });
      assert.equal(answer?.headers.get('cache-control'), 'no-store', path);
    }
  });
});
