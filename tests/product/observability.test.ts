/**
 * The product's own reports while it is used: figures for everything in docs/reference/metrics.md, and no
 * secret.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { MetricDefinition } from '@audiosplit/chassis/observability/metric-definition';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { leaksIn } from '@audiosplit/chassis/testing/leaks';
import { until } from '@audiosplit/chassis/testing/until';
import { PASSWORD, startObservedRun, WRONG_PASSWORD } from '../harness/installation/observed-run.ts';
import { METRICS, type MetricName } from '../harness/metrics.ts';

/** Each counts an event that does not happen here, and is absent until it does. */
const ABSENT: readonly MetricName[] = ['audiosplit_metrics_read_failures_total'];
const SIGNED_SOURCE = 'X-Signature=planted-source-signature';
const WEBHOOK_TOKEN = 'planted-webhook-token';
const PAYMENT_TOKEN = 'tok_plantedPaymentToken';
const WRONG_KEY = `ask_live_${'planted'.repeat(6)}`;

const signatureOf = (link: string) => new URL(link).searchParams.get('signature') ?? '';

describe('a run under observation', () => {
  const run = forSuite(startObservedRun);
  /** Keyed by kind. */
  const secrets: Record<string, string> = {};

  before(async () => {
    const { call, withToken, withKey, credentials, session } = run;
    const { identities, ...others } = run.installationSecrets;
    const { IDENTITY_PUBLIC_KEYS: _, ...privateKeys } = identities;
    Object.assign(secrets, {
      ...others,
      ...privateKeys,
      'API key': run.apiKey,
      'access token': session.accessToken,
      'refresh token': session.refreshToken,
      password: PASSWORD,
      'wrong password': WRONG_PASSWORD,
      'wrong API key': WRONG_KEY,
      'payment token': PAYMENT_TOKEN,
      'signature of a source': 'planted-source-signature',
      'token of a receiver': WEBHOOK_TOKEN,
    });
    await call('POST /api/v1/auth/login', {}, { ...credentials, password: WRONG_PASSWORD });
    await call('POST /api/v1/auth/refresh', {}, { refreshToken: session.refreshToken });
    await call('GET /api/v1/splits', { 'x-api-key': WRONG_KEY });
    await call(`GET /api/v1/splits?apiKey=${run.apiKey}`, withKey);
    await call('PUT /api/v1/billing/payment-method', withToken, { token: PAYMENT_TOKEN });
    await call('PUT /api/v1/billing/payment-method', withToken, { token: 'tok_visa' });
    await call('POST /api/v1/billing/subscribe', withToken, { planId: 'plan_pro' });

    const { uploadUrl, sourceUrl } = await run.upload();
    secrets['link to upload'] = signatureOf(uploadUrl);
    secrets['link to an upload'] = signatureOf(sourceUrl);
    const { url } = run.receiver;
    const done = await run.split({ sourceUrl, webhookUrl: `${url}/hook?token=${WEBHOOK_TOKEN}` });
    assert.equal(done.status, 'completed');
    const failed = await run.split({
      sourceUrl: `${url}/missing.mp3?${SIGNED_SOURCE}`,
      webhookUrl: `${url}/broken?token=${WEBHOOK_TOKEN}`,
    });
    assert.equal(failed.status, 'failed');
    const [segment] = done.segments;
    secrets['link to download'] = signatureOf(segment.downloadUrl);
    assert.equal((await fetch(segment.downloadUrl)).status, 200);
    assert.equal((await fetch(`${segment.downloadUrl}x`)).status, 403);
    secrets['webhook secret'] = (await call('GET /api/v1/webhooks/secret', withToken)).body.secret;
    const received = (path: string) => run.receiver.received.some((each) => each.path.startsWith(path));
    await until(() => received('/hook') && received('/broken?token'), 'both receivers are notified');
  });

  test('every metric of the catalogue has data', async () => {
    const hasData = (page: string, name: string) => new RegExp(`^${name}(_count)?[ {]`, 'm').test(page);
    let missing: string[] = [];
    await until(async () => {
      const page = await run.scrape();
      missing = Object.keys(METRICS).filter((name) => !hasData(page, name));
      return missing.every((name) => ABSENT.some((absent) => absent === name));
    }, `there is data for all but ${ABSENT}`).catch(() => assert.deepEqual(missing, ABSENT));
  });

  test('the figures match the events of the run', async () => {
    const figure = (page: string, series: string) => {
      const line = page.split('\n').find((each) => each.startsWith(`${series} `));
      return Number(line?.slice(series.length));
    };
    const completed = '{outcome="completed",output_format="mp3"}';
    const done = '{outcome="delivered"}';
    const deliveries = async () => figure(await run.scrape(), `audiosplit_webhook_deliveries_total${done}`);
    await until(async () => (await deliveries()) > 0, 'the delivery is counted');
    const page = await run.scrape();
    assert.equal(figure(page, `audiosplit_job_duration_seconds_count${completed}`), 1);
    assert.equal(figure(page, 'audiosplit_job_wait_duration_seconds_count'), 2);
    assert.ok(figure(page, 'audiosplit_job_source_seconds_total{output_format="mp3"}') > 30);
    assert.equal(figure(page, 'audiosplit_jobs_runnable'), 0);
    assert.equal(figure(page, 'audiosplit_jobs_queued'), 0);
    const route = '{method="POST",route="/api/v1/splits",status_class="2xx"}';
    assert.equal(figure(page, `audiosplit_http_request_duration_seconds_count${route}`), 2);
    const call = '{rpc_service="audiosplit.jobs.v1.JobsService",rpc_method="CreateJob",rpc_code="ok"}';
    assert.equal(figure(page, `audiosplit_rpc_server_duration_seconds_count${call}`), 2);
    assert.equal(figure(page, `audiosplit_rpc_client_duration_seconds_count${call}`), 2);
  });

  test('labels have only the values that the catalogue lists, and no data of a caller', async () => {
    const page = await run.scrape();
    for (const [, name = '', list = ''] of page.matchAll(/^(audiosplit_\w+)\{([^}]*)\}/gm)) {
      const { labels }: MetricDefinition = METRICS[name.replace(/_(bucket|sum|count)$/, '') as MetricName];
      for (const [, label = '', value = ''] of list.matchAll(/(\w+)="([^"]*)"/g)) {
        const listed = labels[label];
        if (typeof listed === 'object') assert.ok(listed.includes(value), `${name} ${label}=${value}`);
        else assert.doesNotMatch(value, /acc_|job_[0-9A-Z]|https?:|@/, `${name} ${label}`);
      }
    }
  });

  test('no log line contains a secret', () => {
    const messages = new Set(run.lines.map((line) => JSON.parse(line).msg));
    for (const message of ['request', 'job completed', 'the attempt failed'])
      assert.ok(messages.has(message), message);
    assert.deepEqual(leaksIn(run.lines, secrets), []);
  });

  test('log lines of a request contain its trace and its id, through all services', () => {
    const entries = run.lines.map((line) => JSON.parse(line));
    const request = entries.find(({ route, method }) => route === '/api/v1/splits' && method === 'POST');
    assert.match(request.traceId, /^[0-9a-f]{32}$/);
    assert.match(request.requestId, /^req_/);
    const ofTrace = entries.filter(({ traceId }) => traceId === request.traceId);
    const ends = ofTrace.filter(({ msg }) => /^(request|job completed)$/.test(msg));
    assert.deepEqual(new Set(ends.map(({ service }) => service)), new Set(['gateway', 'splitter']));
  });
});
