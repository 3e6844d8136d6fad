/**
 * Text that cannot be stored, at every place of the API that accepts text: Postgres stores no U+0000, and
 * UTF-8 no half of a surrogate pair. The places come from the API description, so that a new field is tested
 * at once.
 */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { exchange } from '@audiosplit/gateway/testing/raw-http';
import { descriptionCheckOf } from '../../harness/accounts/checked-fetch.ts';
import { BEHIND_LINKS, GUARDED } from './endpoints.fixture.ts';
import { startWithHolder } from './holder.fixture.ts';
import { bearer, withKey } from './installation.fixture.ts';
import { type TextPlace, textPlacesOf } from './text-places.fixture.ts';

const MARKS = 10_000;

describe('text that cannot be stored', () => {
  const installation = forSuite(startWithHolder);
  let places: readonly TextPlace[];
  before(async () => {
    places = await textPlacesOf(installation);
  });

  /** `text` is already percent-encoded if the place is in the URL. */
  async function send(place: TextPlace, text: string): Promise<Response> {
    const { operationId, method, template } = place;
    const { belongings, token } = installation;
    const { takesToken, scope } = installation.operation(operationId);
    const parameters = { ...GUARDED[operationId]?.path?.(belongings), objectKey: 'a' };
    const filled = Object.entries({ ...parameters, ...(place.in === 'path' ? { [place.field]: text } : {}) });
    const path = filled.reduce((built, [name, value]) => built.replace(`{${name}}`, value), template);
    const query = place.in === 'query' ? `?${place.field}=${text}` : '';
    const headers = {
      ...(takesToken ? bearer(token) : {}),
      ...(scope === undefined ? {} : withKey(belongings.key)),
      'content-type': 'application/json',
    };
    const body = place.in === 'body' ? place.bodyWith(text) : undefined;
    const check = await descriptionCheckOf(installation.url);
    const response = await installation.call(method, `${path}${query}`, headers, body);
    await check(method, new URL(template.replaceAll(/[{}]/g, ''), installation.url), response);
    return response;
  }

  async function assertRefused(place: TextPlace, what: string, text: string): Promise<void> {
    const response = await send(place, text);
    const body = await response.text();
    const failure = `${place.operationId}, ${place.where}, ${what}: ${response.status} ${body}`;
    // A signed link is valid for one path; another path is refused regardless of its content.
    const isOfLink = place.in === 'path' && !place.template.startsWith('/api/');
    assert.equal(response.status, isOfLink ? 403 : 400, failure);
    if (isOfLink || place.method === 'HEAD') return;
    const { code, details } = JSON.parse(body).error;
    assert.equal(code, 'INVALID_PARAMS', failure);
    const fields: string[] = details?.map(({ field }: { field: string }) => field.split('.')[0]);
    assert.ok(fields?.includes(place.field), failure);
  }

  it('is tested at every kind of place', () => {
    const kinds = new Set(places.map((place) => place.in));
    assert.deepEqual([...kinds].sort(), ['body', 'header', 'path', 'query']);
    const found = places.map(({ operationId, where }) => `${operationId}: ${where}`);
    for (const one of [
      'cancelSubscription: body reason',
      'createSplit: body metadata (a key)',
      'createUpload: body fileName',
      'createApiKey: body scopes[]',
      'listSplits: query sortBy',
      'getSplit: path jobId',
      'register: header Idempotency-Key',
    ]) {
      assert.ok(found.includes(one), `${one}: ${found.join('\n')}`);
    }
  });

  // Covers B-14.2
  it('U+0000 is 400 INVALID_PARAMS that names the field', async () => {
    for (const place of places) {
      if (place.in === 'header') continue;
      const isEncoded = place.in !== 'body';
      await assertRefused(place, 'alone', isEncoded ? '%00' : '\u0000');
      await assertRefused(place, 'within', isEncoded ? 'a%00b' : 'a\u0000b');
    }
  });

  // Covers B-14.2
  it('half a surrogate pair is 400 INVALID_PARAMS that names the field', async () => {
    for (const place of places) {
      if (place.in !== 'body') continue;
      for (const half of ['\ud800', '\udc00', 'a\udfff\ud800b']) await assertRefused(place, 'half', half);
    }
  });

  it('half a surrogate pair in a URL, which is not UTF-8, is rejected', async () => {
    for (const place of places) {
      if (place.in !== 'path' && place.in !== 'query') continue;
      const { status } = await send(place, 'a%ED%A0%80');
      assert.ok(status >= 400 && status < 500, `${place.operationId}, ${place.where}: ${status}`);
    }
  });

  // Covers B-14.2
  it('10,000 combining marks cause no internal error, and are rejected if the text is too long', async () => {
    for (const place of places) {
      if (place.in === 'header') continue;
      const marks = `a${'\u0301'.repeat(place.in === 'body' ? MARKS : MARKS / 5)}`;
      const { status } = await send(place, place.in === 'body' ? marks : encodeURIComponent(marks));
      const failure = `${place.operationId}, ${place.where}: ${status}`;
      assert.ok(status < 500, failure);
      if (place.in === 'body' && place.maxLength < MARKS) assert.equal(status, 400, failure);
    }
  });

  it('headers cannot contain either', async () => {
    for (const place of places) {
      // The response to HEAD has no body to read.
      if (place.in !== 'header' || place.method === 'HEAD') continue;
      const { operationId, method, template, field } = place;
      const { takesToken, scope } = installation.operation(operationId);
      const path = template.replaceAll(/\{\w+\}/g, 'none_1');
      const body = JSON.stringify(place.bodyWith('') ?? {});
      for (const value of ['\0', 'a\0b', '\xed\xa0\x80', 'a\xcc\x81'.repeat(1_000)]) {
        const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `${field}: ${value}`];
        if (takesToken) lines.push(`Authorization: Bearer ${installation.token}`);
        if (scope !== undefined) lines.push(`X-API-Key: ${installation.belongings.key}`);
        lines.push('Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close');
        const request = Buffer.from([...lines, '', body].join('\r\n'), 'latin1');
        const [answer] = await exchange(installation.url, request);
        // A link's signature and the tus version are checked before other headers.
        const expected = [400, ...(operationId === 'createResumableUpload' ? [412] : [])];
        if (BEHIND_LINKS.has(operationId)) expected.push(403);
        assert.ok(expected.includes(answer?.status ?? 0), `${operationId}, ${field}: ${answer?.status}`);
      }
    }
  });
});
