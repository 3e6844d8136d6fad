/** `external-metrics-server.ts CERTIFICATES PORT`: external-metrics.ts behind the API server. */
import { openApi } from '../access/api.ts';
import { isReady, type WithConditions } from '../conditions.ts';
import { API_URL, CONTROL_ADDRESS } from '../layout.ts';
import { serveExtension } from './extension-server.ts';
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

const [certificates = '', port = ''] = process.argv.slice(2);
const api = openApi(certificates, API_URL);
serveExtension({
  certificates,
  address: CONTROL_ADDRESS,
  port: Number(port),
  async answer(url) {
    const asked = askedFor(url);
    if (asked !== undefined) return valueList(asked, await largest(asked), new Date());
    return url.pathname === GROUP_PATH ? resourceList() : undefined;
  },
});

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
