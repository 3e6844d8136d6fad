import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { readJson } from '../../testing/read-json.ts';
import { startTestGateway } from '../../testing/test-gateway.ts';
import { STATUS_OF_CODE } from '../errors/error-codes.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: string[];
  readonly security?: Json[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Json }> };
  readonly parameters?: { readonly name: string; readonly in: string }[];
  readonly responses: Record<
    string,
    { readonly description: string; readonly headers?: Json; readonly content?: Json }
  >;
}

type Description = Json & {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Json>;
};

const CONTRACT = [
  'POST /api/v1/api-keys',
  'PATCH /api/v1/api-keys/{keyId}',
  'POST /api/v1/splits',
  'GET /api/v1/splits',
  'GET /api/v1/splits/{jobId}',
  'DELETE /api/v1/splits/{jobId}',
  'DELETE /api/v1/account',
  'POST /api/v1/account/export',
  'POST /api/v1/billing/subscribe',
  'POST /api/v1/billing/change-plan',
  'POST /api/v1/billing/cancel',
  'GET /api/v1/billing/invoices',
  'GET /api/v1/billing',
  'GET /api/v1/billing/usage',
];

const ADDED = [
  'GET /.well-known/jwks.json',
  'GET /healthz',
  'GET /accepting',
  'GET /readyz',
  'GET /downloads/{objectKey}',
  'HEAD /downloads/{objectKey}',
  'GET /uploads/{objectKey}',
  'HEAD /uploads/{objectKey}',
  'PUT /uploads/{objectKey}',
  'POST /api/v1/auth/register',
  'POST /api/v1/auth/login',
  'POST /api/v1/auth/login/link',
  'POST /api/v1/auth/refresh',
  'POST /api/v1/auth/logout',
  'POST /api/v1/auth/password/forgot',
  'POST /api/v1/auth/password/reset',
  'POST /api/v1/auth/verify',
  'GET /api/v1/account/security',
  'PUT /api/v1/account/password',
  'PUT /api/v1/account/email',
  'POST /api/v1/account/email/verification',
  'POST /api/v1/account/second-factor',
  'POST /api/v1/account/second-factor/confirm',
  'POST /api/v1/account/second-factor/recovery-codes',
  'DELETE /api/v1/account/second-factor',
  'GET /api/v1/account/sessions',
  'DELETE /api/v1/account/sessions',
  'DELETE /api/v1/account/sessions/{sessionId}',
  'GET /api/v1/api-keys',
  'GET /api/v1/api-keys/{keyId}',
  'DELETE /api/v1/api-keys/{keyId}',
  'POST /api/v1/api-keys/{keyId}/rotate',
  'POST /api/v1/splits/{jobId}/cancel',
  'GET /api/v1/splits/search',
  'POST /api/v1/batches',
  'GET /api/v1/batches/{batchId}',
  'POST /api/v1/batches/{batchId}/cancel',
  'POST /api/v1/batches/{batchId}/retry',
  'GET /api/v1/batches/{batchId}/archive',
  'HEAD /api/v1/batches/{batchId}/archive',
  'GET /api/v1/connections',
  'POST /api/v1/connections',
  'DELETE /api/v1/connections/{connectionId}',
  'POST /api/v1/connections/{connectionId}/test',
  'GET /api/v1/presets',
  'POST /api/v1/presets',
  'DELETE /api/v1/presets/{presetId}',
  'GET /api/v1/splits/{jobId}/events',
  'GET /api/v1/splits/{jobId}/archive',
  'HEAD /api/v1/splits/{jobId}/archive',
  'GET /api/v1/splits/{jobId}/waveform',
  'POST /api/v1/uploads',
  'POST /api/v1/uploads/tus',
  'PATCH /uploads/tus/{objectKey}',
  'HEAD /uploads/tus/{objectKey}',
  'DELETE /uploads/tus/{objectKey}',
  'GET /api/v1/plans',
  'GET /api/v1/account',
  'POST /api/v1/account/restore',
  'GET /api/v1/account/exports',
  'GET /api/v1/account/exports/{exportId}',
  'POST /api/v1/billing/invoices/{invoiceId}/pay',
  'GET /api/v1/billing/spend-limit',
  'PUT /api/v1/billing/spend-limit',
  'GET /api/v1/billing/profile',
  'PUT /api/v1/billing/profile',
  'PUT /api/v1/billing/payment-method',
  'PUT /api/v1/sandbox/clock',
  'DELETE /api/v1/billing/payment-method',
  'PUT /api/v1/webhooks/endpoint',
  'GET /api/v1/webhooks/endpoint',
  'DELETE /api/v1/webhooks/endpoint',
  'POST /api/v1/webhooks/test',
  'GET /api/v1/webhooks/secret',
  'POST /api/v1/webhooks/secret/rotate',
  'GET /api/v1/webhooks/deliveries',
  'POST /api/v1/webhooks/deliveries/{deliveryId}/replay',
];

describe('/openapi.json', () => {
  let description: Json & {
    paths: Record<string, Record<string, Operation>>;
    components: Record<string, Json>;
  };
  let operations: [route: string, operation: Operation][];
  const gateway = forSuite(startTestGateway);
  before(async () => {
    const response = await gateway.call('/openapi.json');
    assert.equal(response.status, 200);
    description = await readJson<Description>(response);
    operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  // Covers I-4.0.1 D-8.1
  test('is OpenAPI 3.1 and lists every route, including the fourteen of the contract', () => {
    assert.match(String(description.openapi), /^3\.1\./);
    assert.deepEqual(operations.map(([route]) => route).sort(), [...CONTRACT, ...ADDED].sort());
  });

  test('every reference resolves, and every component is used', () => {
    const refs = new Set(JSON.stringify(description).match(/(?<="\$ref":")[^"]*/g));
    assert.ok(refs.size > 20);
    for (const ref of refs) {
      const target = ref
        .replace(/^#\//, '')
        .split('/')
        .reduce<unknown>((node, name) => (node as Json | undefined)?.[name], description);
      assert.ok(ref.startsWith('#/') && target !== undefined, ref);
    }
    const names = Object.keys(description.components.schemas ?? {});
    assert.deepEqual(
      names.filter((name) => !refs.has(`#/components/schemas/${name}`)),
      [],
    );
  });

  test('every operation has its own id, a summary and a known tag', () => {
    const ids = operations.map(([, { operationId }]) => operationId);
    assert.equal(new Set(ids).size, operations.length);
    const tags = new Set((description.tags as Json[]).map(({ name }) => name));
    for (const [route, { summary, tags: own }] of operations) {
      assert.ok(summary.length > 0, route);
      assert.ok(own.length === 1 && own.every((tag) => tags.has(tag)), route);
    }
  });

  // Covers I-1.11 I-4.0.2 I-5.1 I-5.2 D-3.12
  test('each operation names its required credential', () => {
    const of = (route: string) => operations.find(([each]) => each === route)?.[1].security;
    for (const [index, route] of CONTRACT.entries()) {
      const [scheme] = Object.keys(of(route)?.[0] ?? {});
      assert.equal(scheme, index >= 2 && index <= 5 ? 'apiKey' : 'accessToken', route);
    }
    assert.deepEqual(of('GET /api/v1/plans'), []);
    assert.deepEqual(Object.keys(description.components.securitySchemes ?? {}), ['apiKey', 'accessToken']);
  });

  // Covers I-8.8
  test('responses below /api/v1 have the rate limit headers, rejections the envelope', () => {
    for (const [route, { responses }] of operations) {
      for (const [status, response] of Object.entries(responses)) {
        assert.ok(response.description.length > 0, `${route} ${status}`);
        const isApi = route.includes(' /api/v1/');
        assert.deepEqual(
          Object.keys(response.headers ?? {}),
          [
            'X-Request-Id',
            ...(isApi ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : []),
            ...(isApi && route.startsWith('POST') ? ['Idempotency-Replayed'] : []),
            ...(isApi && status === '401' ? ['WWW-Authenticate'] : []),
            ...(isApi && status === '403' ? ['X-Accepted-Scopes'] : []),
            ...(isApi && ['429', '503'].includes(status) ? ['Retry-After'] : []),
          ],
          `${route} ${status}`,
        );
        if (Number(status) >= 400 && !['GET /accepting', 'GET /readyz'].includes(route)) {
          const schema = { $ref: '#/components/schemas/Error' };
          assert.deepEqual(response.content, { 'application/json': { schema } }, `${route} ${status}`);
        }
      }
    }
  });

  // Covers D-2.44
  test('every POST below /api/v1 accepts an idempotency key, and nothing else does', () => {
    for (const [route, { parameters = [] }] of operations) {
      const takesOne = parameters.some(({ name }) => name === 'Idempotency-Key');
      assert.equal(takesOne, route.startsWith('POST /api/v1/'), route);
    }
  });

  test('every error code is described at its status', () => {
    const described = new Set<string>();
    for (const [route, { responses }] of operations) {
      for (const [status, { description: text }] of Object.entries(responses)) {
        for (const [, code = ''] of text.matchAll(/`([A-Z_]+)`/g)) {
          described.add(code);
          assert.equal(
            STATUS_OF_CODE[code as keyof typeof STATUS_OF_CODE],
            Number(status),
            `${route} ${code}`,
          );
        }
      }
    }
    const everywhere = ['METHOD_NOT_ALLOWED', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'];
    // Only the console sends the price that it has shown.
    const inConsole = ['PRICE_CHANGED'];
    const missing = Object.keys(STATUS_OF_CODE).filter(
      (code) => !described.has(code) && !everywhere.includes(code) && !inConsole.includes(code),
    );
    assert.deepEqual(missing, []);
  });

  test('every body has an example', () => {
    const without = Object.entries(description.components.schemas ?? {}).filter(
      ([, schema]) => (schema as { readonly examples?: unknown[] }).examples?.[0] === undefined,
    );
    assert.deepEqual(
      without.map(([name]) => name),
      [],
    );
    for (const [route, { requestBody }] of operations) {
      const body = requestBody?.content['application/json'];
      const { example, examples } = Object(body);
      if (body !== undefined) assert.ok(example !== undefined || Object.keys(examples).length > 1, route);
    }
  });

  test('the examples of a completed job show every field of a segment with a file', () => {
    const { Segment, CompletedJob } = Object(description.components.schemas);
    const jobs: { readonly segments: readonly object[] }[] = CompletedJob.examples;
    const shown = new Set(jobs.flatMap(({ segments }) => segments.flatMap(Object.keys)));
    const fields = Object.keys(Segment.properties);
    assert.deepEqual(
      fields.filter((field) => !shown.has(field)),
      ['sizeIsEstimate'],
    );
  });

  test('shows the notifications that are sent', () => {
    assert.deepEqual(Object.keys(Object(description.webhooks)), [
      'split.processing',
      'split.completed',
      'split.failed',
      'export.completed',
      'export.failed',
      'usage.threshold',
      'ping',
    ]);
  });

  test('creation shows required fields, limits and that unknown fields are rejected', () => {
    const [, operation] = operations.find(([route]) => route === 'POST /api/v1/splits') ?? [];
    const schema = operation?.requestBody?.content['application/json']?.schema as Json & {
      properties: Record<string, Json>;
    };
    assert.deepEqual(schema.required, ['sourceUrl', 'splitMode']);
    assert.equal(schema.additionalProperties, false);
    const { minimum, maximum } = schema.properties.segmentDuration ?? {};
    assert.deepEqual([minimum, maximum], [1, 86_400]);
    assert.deepEqual(schema.properties.splitMode?.enum, [
      'duration',
      'fileSize',
      'silence',
      'chapters',
      'ranges',
      'parts',
    ]);
  });

  test('the stream of events and the archive show their content types, and the stream its parameters', () => {
    const of = (route: string) => operations.find(([each]) => each === route)?.[1];
    const events = of('GET /api/v1/splits/{jobId}/events');
    assert.deepEqual(Object.keys(events?.responses['200']?.content ?? {}), ['text/event-stream']);
    assert.equal(events?.responses['204']?.content, undefined);
    assert.deepEqual(
      events?.parameters?.map(({ name, in: place }) => `${place} ${name}`),
      ['path jobId', 'header last-event-id'],
    );
    const archive = of('GET /api/v1/splits/{jobId}/archive');
    assert.deepEqual(Object.keys(archive?.responses['200']?.content ?? {}), ['application/zip']);
  });

  test('the root address redirects to it if no pages are built', async () => {
    const root = await fetch(`${gateway.url}/`, { redirect: 'manual' });
    assert.equal(root.status, 302);
    assert.equal(root.headers.get('location'), '/docs');
    assert.equal((await fetch(`${gateway.url}/docs`)).url, `${gateway.url}/openapi.json`);
  });

  test('it is compressed, and not sent again while it is unchanged', async () => {
    const response = await fetch(`${gateway.url}/openapi.json`, { headers: { 'accept-encoding': 'br' } });
    assert.equal(response.headers.get('content-encoding'), 'br');
    assert.equal(Object((await response.json()) as object).openapi, '3.1.0');
    const again = { headers: { 'if-none-match': response.headers.get('etag') ?? '' } };
    assert.equal((await fetch(`${gateway.url}/openapi.json`, again)).status, 304);
  });

  test('the example of a source is an audio file, that of a webhook a receiver', async () => {
    const text = JSON.stringify(description);
    const examplesOf = (field: string) =>
      [...text.matchAll(new RegExp(`"${field}":(\\{[^{}]*\\})`, 'g'))].flatMap(
        ([, schema = '']) => JSON.parse(schema).examples ?? [],
      );
    assert.deepEqual(new Set(examplesOf('sourceUrl')), new Set(['https://example.org/audio/episode-7.mp3']));
    assert.deepEqual(new Set(examplesOf('webhookUrl')), new Set(['https://example.com/hooks/audio']));
  });
});
