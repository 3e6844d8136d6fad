/** `metrics-server.ts CERTIFICATES API_URL PORT`: played-metrics.ts behind the API server. */
import { openApi, pathOf } from '../api.ts';
import { serveExtension } from '../extension-server.ts';
import { askedFor, GROUP_PATH as EXTERNAL_GROUP_PATH, resourceList, valueList } from '../external-metrics.ts';
import { LOOPBACK } from './layout.ts';
import {
  externalValue,
  GROUP_PATH,
  type PlayedPod,
  playedManifest,
  podMetricsList,
  podMetricsResources,
  podsAskedFor,
} from './played-metrics.ts';

const [certificates = '', apiUrl = '', port = ''] = process.argv.slice(2);
const api = openApi(certificates, apiUrl);
const path = pathOf(playedManifest({ external: {}, cpuPercent: {} }));
serveExtension({ certificates, address: LOOPBACK, port: Number(port), answer });

async function answer(url: URL): Promise<object | undefined> {
  if (url.pathname === GROUP_PATH) return podMetricsResources();
  if (url.pathname === EXTERNAL_GROUP_PATH) return resourceList();
  const asked = askedFor(url);
  if (asked !== undefined) return valueList(asked, externalValue(await played(), asked.name), new Date());
  const namespace = podsAskedFor(url);
  if (namespace === undefined) return undefined;
  const selector = url.searchParams.get('labelSelector') ?? '';
  const pods = await api.list<PlayedPod>(`/api/v1/namespaces/${namespace}/pods`, selector);
  return podMetricsList(await played(), namespace, pods, new Date());
}

async function played(): Promise<Readonly<Record<string, string>>> {
  return (await api.call<{ readonly data: Readonly<Record<string, string>> }>('GET', path)).data;
}
