/**
 * `external-metrics-server.ts CERTIFICATES PORT`: external-metrics.ts behind the API server, which alone may ask: by the
 * certificate of its front proxy.
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { openApi } from './api.ts';
import { isReady, type WithConditions } from './conditions.ts';
import {
  askedFor,
  type ExternalMetricAsked,
  resourceList,
  samplesIn,
  valueList,
} from './external-metrics.ts';
import { CONTROL_ADDRESS } from './layout.ts';

const SPLITTERS = 'app.kubernetes.io/component=splitter';
const METRICS_PORT = 9464;
const SCRAPE_TIMEOUT_MS = 5_000;

interface Pod extends WithConditions {
  readonly status: WithConditions['status'] & { readonly podIP?: string };
}

const [certificates = '', port = ''] = process.argv.slice(2);
const api = openApi(certificates);
const read = (name: string) => readFileSync(join(certificates, name));
createServer(
  {
    cert: read('extensions.crt'),
    key: read('extensions.key'),
    ca: read('front-proxy-ca.crt'),
    requestCert: true,
    rejectUnauthorized: true,
  },
  (request, response) => {
    answer(new URL(request.url ?? '/', 'https://localhost'), response).catch((error) =>
      send(response, 500, { message: messageOf(error) }),
    );
  },
).listen(Number(port), CONTROL_ADDRESS);

async function answer(url: URL, response: ServerResponse): Promise<void> {
  const asked = askedFor(url);
  if (asked !== undefined) send(response, 200, valueList(asked, await largest(asked), new Date()));
  else if (url.pathname === '/apis/external.metrics.k8s.io/v1beta1') send(response, 200, resourceList());
  else send(response, 404, { message: 'no such resource' });
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

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
