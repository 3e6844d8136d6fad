/**
 * `external-metrics-server.ts CERTIFICATES`: external-metrics.ts behind the API server's aggregation layer. It accepts only the
 * certificate of the front proxy.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { openApi } from '../access/api.ts';
import { isReady, type WithConditions } from '../conditions.ts';
import { API_URL, CONTROL_ADDRESS, EXTERNAL_METRICS_PORT } from '../layout.ts';
import {
  askedFor,
  type ExternalMetricAsked,
  GROUP_PATH,
  resourceList,
  samplesIn,
  valueList,
} from './external-metrics.ts';

const SPLITTERS = 'app.kubernetes.io/component=splitter';
const METRICS_PORT = 9464;
const SCRAPE_TIMEOUT_MS = 5_000;

interface Pod extends WithConditions {
  readonly status: WithConditions['status'] & { readonly podIP?: string };
}

const [certificates = ''] = process.argv.slice(2);
const api = openApi(certificates, API_URL);
const read = (name: string) => readFileSync(join(certificates, name));
createServer(
  {
    cert: read('extensions.crt'),
    key: read('extensions.key'),
    ca: read('front-proxy-ca.crt'),
    requestCert: true,
    rejectUnauthorized: true,
  },
  async ({ url = '/' }, response) => {
    const [status, body] = await answer(new URL(url, 'https://localhost')).catch(
      (error) => [500, { message: messageOf(error) }] as const,
    );
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  },
).listen(EXTERNAL_METRICS_PORT, CONTROL_ADDRESS);

async function answer(url: URL): Promise<readonly [status: number, body: object]> {
  const asked = askedFor(url);
  if (asked !== undefined) return [200, valueList(asked, await largest(asked), new Date())];
  return url.pathname === GROUP_PATH ? [200, resourceList()] : [404, { message: 'no such resource' }];
}

async function largest(asked: ExternalMetricAsked): Promise<number | undefined> {
  const pods = await api.list<Pod>(`/api/v1/namespaces/${asked.namespace}/pods`, SPLITTERS);
  const ready = pods.filter(isReady);
  const pages = await Promise.allSettled(ready.map(({ status }) => scrape(status.podIP)));
  const values = pages.flatMap((page) => (page.status === 'fulfilled' ? samplesIn(page.value, asked) : []));
  return values.length === 0 ? undefined : Math.max(...values);
}

async function scrape(address: string | undefined): Promise<string> {
  const response = await fetch(`http://${address}:${METRICS_PORT}/metrics`, {
    signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return await response.text();
}
