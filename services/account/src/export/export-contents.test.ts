/** The contents of an export. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus, OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type AccountFixture, DAY_MS } from '../account.fixture.ts';
import { type Exporter, startExporter } from './exporter.fixture.ts';
import { readArchive } from './read-archive.fixture.ts';

const at = timestampFromDate(new Date('2026-02-01T12:00:00.5Z'));

describe('the contents of an export', () => {
  let exporter: Exporter;
  let fixture: AccountFixture;
  let id: string;
  beforeEach(async () => {
    exporter = await startExporter();
    ({ fixture, id } = exporter);
  });
  afterEach(() => exporter[Symbol.asyncDispose]());

  const open = async (objectKey: string | undefined) => {
    const { body } = await fixture.store.get(objectKey ?? '');
    const bytes = await buffer(body);
    return { bytes, files: await readArchive(bytes) };
  };

  const fill = async () => {
    const { others, store } = fixture;
    const job = (n: number) => ({
      id: `job_${n}`,
      status: JobStatus.COMPLETED,
      request: {
        sourceUrl: 'https://example.com/a,b.mp3',
        cut: fromCutFields({ splitMode: 'duration', segmentDuration: 60 }),
        outputFormat: OutputFormat.MP3,
      },
      metadataJson: '{"episode":12345678901234567890}',
      sourceFileName: '=cmd|calc.mp3',
      sourceDurationMs: 61_500n,
      sourceSizeBytes: 5_000_000_000n,
      segmentCount: 1,
      segments: [
        {
          index: 0,
          objectKey: `jobs/job_${n}/1/0.mp3`,
          fileName: 'a-0.mp3',
          contentType: 'audio/mpeg',
          durationMs: 61_500n,
          sizeBytes: 500n,
        },
      ],
      createdAt: at,
      completedAt: at,
    });
    const dryRun = {
      ...job(3),
      request: {
        sourceUrl: 'https://example.com/b.mp3',
        cut: fromCutFields({
          splitMode: 'ranges',
          ranges: [{ start: 1.5, end: 2, title: 'a, "b"' }],
          overlap: 0.5,
          dryRun: true,
        }),
      },
      segments: [
        {
          index: 0,
          objectKey: '',
          fileName: 'b-0.mp3',
          contentType: 'audio/mpeg',
          startMs: 1_000n,
          contentStartMs: 1_500n,
          durationMs: 1_000n,
          sizeBytes: 500n,
          endKind: 'range',
          title: 'a, "b"',
          sizeIsEstimate: true,
        },
      ],
      loudness: { gainDb: 0 },
      sourceDurationIsEstimate: true,
    };
    others.jobs = [[job(1), job(2)], [dryRun]];
    others.apiKeys = Array.from({ length: 101 }, (_, n) => ({
      id: `key_${n}`,
      name: '+1',
      keyPreview: 'ask_live_a1b2…wxyz',
      scopes: ['splits:read', 'keys:manage'],
      createdAt: at,
    }));
    others.sessions = [
      { id: 'ses_1', createdAt: at, lastUsedAt: at, address: '192.0.2.9', userAgent: 'a browser' },
    ];
    others.deliveries = [
      {
        id: 'dlv_1',
        type: 'split.completed',
        url: 'https://example.com/hook',
        status: 'delivered',
        createdAt: at,
        body: '{"type":"split.completed"}',
        attempts: [{ at, statusCode: 200 }],
      },
    ];
    others.endpoint = {
      url: 'https://example.com/all',
      events: ['split.failed'],
      createdAt: at,
      updatedAt: at,
    };
    others.connections = [
      {
        id: 'con_1',
        name: 'archive',
        region: 'eu-central-1',
        bucket: 'audio',
        prefix: 'in/',
        accessKeyId: 'AKIA1',
        createdAt: at,
      },
    ];
    await fixture.accounts.putPreset(
      { name: 'Interviews', requestJson: '{"splitMode":"parts","parts":3}' },
      fixture.actingFor(id),
    );
    others.subscription = { id: 'sub_1', status: 'active', currentPeriodStart: at, currentPeriodEnd: at };
    const pdfObjectKey = `accounts/${id}/invoices/inv_1-1.pdf`;
    await store.put(pdfObjectKey, Readable.from([Buffer.from('%PDF-1.7 …')]), {
      contentType: 'application/pdf',
    });
    others.invoices = [
      {
        id: 'inv_1',
        number: 'INV-202602-000001',
        status: 'paid',
        amountCents: 900n,
        currency: 'usd',
        periodStart: at,
        periodEnd: at,
        paidAt: at,
        companyName: 'Ada Ltd',
        pdfObjectKey,
        refunds: [
          { id: 'rfd_1', amountCents: 300n, reason: 'Too much.', status: 'succeeded', createdAt: at },
        ],
      },
    ];
  };

  // Covers D-6.10 D-6.12
  it('as JSON contains all data, with a manifest and the digest of the whole', async () => {
    await fill();
    const { status, objectKey, sizeBytes, sha256, expiresAt } = await exporter.make();
    assert.equal(status, 'completed');
    assert(expiresAt);
    assert.equal(timestampDate(expiresAt).getTime(), fixture.now().getTime() + 7 * DAY_MS);
    const { bytes, files } = await open(objectKey);
    assert.equal(sizeBytes, BigInt(bytes.length));
    assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'));
    assert.match(
      objectKey ?? '',
      new RegExp(`^accounts/${id}/exports/exp_\\w+/1/audiosplit-export-2026-03-14\\.zip$`),
    );

    const names = ['account', 'api-keys', 'sessions', 'jobs', 'segments', 'billing', 'usage', 'invoices'];
    const tables = [
      ...names,
      'refunds',
      'webhook-endpoint',
      'connections',
      'presets',
      'webhook-deliveries',
      'webhook-attempts',
    ].map((name) => `${name}.json`);
    assert.deepEqual([...files.keys()], [...tables, 'invoices/INV-202602-000001.pdf', 'manifest.json']);
    const table = (name: string) =>
      JSON.parse(files.get(`${name}.json`)?.toString() ?? '') as Record<string, unknown>[];
    assert.deepEqual(table('account'), [
      { id, email: exporter.email, name: '=Ada', createdAt: '2026-01-20T00:00:00.000Z' },
    ]);
    assert.deepEqual(
      table('jobs').map((job) => job.id),
      ['job_1', 'job_2', 'job_3'],
    );
    assert.match(files.get('jobs.json')?.toString() ?? '', /"metadata":\{"episode":12345678901234567890\}/);
    assert.deepEqual(table('segments')[0], {
      jobId: 'job_1',
      index: 0,
      fileName: 'a-0.mp3',
      contentType: 'audio/mpeg',
      startTime: 0,
      duration: 61.5,
      size: 500,
      contentStart: null,
      cut: null,
      title: null,
      sizeIsEstimate: false,
      location: null,
      endTime: 61.5,
    });
    assert.deepEqual(table('segments')[2], {
      jobId: 'job_3',
      index: 0,
      fileName: 'b-0.mp3',
      contentType: 'audio/mpeg',
      startTime: 1,
      duration: 1,
      size: 500,
      contentStart: 1.5,
      cut: 'range',
      title: 'a, "b"',
      sizeIsEstimate: true,
      location: null,
      endTime: 2,
    });
    const { ranges, overlap, dryRun, silence, loudness, sourceDurationIsEstimate } = table('jobs')[2] ?? {};
    assert.deepEqual(
      [ranges, overlap, dryRun, silence, loudness, sourceDurationIsEstimate],
      [
        [{ start: 1.5, end: 2, title: 'a, "b"' }],
        0.5,
        true,
        null,
        { measured: null, gain: 0, truePeak: null },
        true,
      ],
    );
    assert.equal(table('api-keys').length, 101);
    assert.deepEqual(Object.keys(table('sessions')[0] ?? {}), [
      'id',
      'createdAt',
      'lastUsedAt',
      'address',
      'userAgent',
    ]);
    assert.deepEqual(Object.keys(table('api-keys')[0] ?? {}), [
      'id',
      'name',
      'keyPreview',
      'scopes',
      'createdAt',
      'updatedAt',
      'lastUsedAt',
      'expiresAt',
    ]);
    assert.deepEqual(
      table('usage').map(({ periodStart, minutesProcessed }) => [periodStart, minutesProcessed]),
      ['01', '02', '03'].map((month) => [`2026-${month}-01T00:00:00.000Z`, 7]),
    );
    assert.equal(table('billing')[0]?.subscriptionStatus, 'active');
    assert.deepEqual(table('webhook-endpoint'), [
      {
        url: 'https://example.com/all',
        events: ['split.failed'],
        createdAt: '2026-02-01T12:00:00.500Z',
        updatedAt: '2026-02-01T12:00:00.500Z',
      },
    ]);
    assert.deepEqual(table('connections'), [
      {
        id: 'con_1',
        name: 'archive',
        endpoint: null,
        region: 'eu-central-1',
        bucket: 'audio',
        prefix: 'in/',
        accessKeyId: 'AKIA1',
        createdAt: '2026-02-01T12:00:00.500Z',
      },
    ]);
    const [preset] = table('presets');
    assert.deepEqual([preset?.name, preset?.request], ['Interviews', { splitMode: 'parts', parts: 3 }]);
    assert.deepEqual(table('webhook-deliveries')[0]?.body, { type: 'split.completed' });
    assert.deepEqual(table('webhook-attempts'), [
      { deliveryId: 'dlv_1', at: '2026-02-01T12:00:00.500Z', statusCode: 200, error: null },
    ]);
    assert.equal(table('invoices')[0]?.companyName, 'Ada Ltd');
    const { id: refundId, invoiceId, amount, currency, reason } = table('refunds')[0] ?? {};
    assert.deepEqual(
      [refundId, invoiceId, amount, currency, reason],
      ['rfd_1', 'inv_1', 300, 'usd', 'Too much.'],
    );
    assert.equal(table('invoices')[0]?.file, 'invoices/INV-202602-000001.pdf');
    assert.equal(files.get('invoices/INV-202602-000001.pdf')?.toString(), '%PDF-1.7 …');

    const manifest = JSON.parse(files.get('manifest.json')?.toString() ?? '') as {
      files: { path: string; sha256: string }[];
    };
    assert.deepEqual(
      manifest.files.map((file) => [file.path, file.sha256]),
      [...files]
        .filter(([path]) => path !== 'manifest.json')
        .map(([path, content]) => [path, createHash('sha256').update(content).digest('hex')]),
    );
  });

  // Covers D-6.13
  it('as CSV contains the same data in tables that are safe to open', async () => {
    await fill();
    const { files } = await open((await exporter.make({ format: 'csv' })).objectKey);
    assert.ok([...files.keys()].includes('webhook-attempts.csv'));
    const lines = files.get('jobs.csv')?.toString().split('\r\n') ?? [];
    assert.equal(lines.length, 5);
    assert.match(
      lines[1] ?? '',
      /^job_1,completed,"https:\/\/example\.com\/a,b\.mp3",duration,60,,+mp3,,"\{""episode"":12345678901234567890\}","'=cmd\|calc\.mp3",61\.5,5000000000,/,
    );
    assert.match(
      lines[3] ?? '',
      /^job_3,completed,https:\/\/example\.com\/b\.mp3,ranges,,,,,"\[\{""start"":1\.5,""end"":2,""title"":""a, \\""b\\""""\}\]",/,
    );
    assert.match(files.get('account.csv')?.toString() ?? '', /"'=Ada"/);
    assert.ok(files.has('invoices/INV-202602-000001.pdf'));
  });

  it('calls the other services on behalf of the account', async () => {
    const asked = new Map<string, string>();
    fixture.others.onCall = (method, accountId) => void asked.set(method, accountId);
    await exporter.make();
    assert.deepEqual(new Set(asked.values()), new Set([id]));
    assert.deepEqual([...asked.keys()].sort(), [
      'getBillingInfo',
      'getEndpoint',
      'getUsage 2026-01',
      'getUsage 2026-02',
      'getUsage current',
      'listApiKeys',
      'listConnections',
      'listInvoices',
      'listSessions',
      'walkDeliveries',
      'walkJobs',
    ]);
  });
});
