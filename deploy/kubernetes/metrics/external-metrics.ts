/**
 * The API external.metrics.k8s.io for one metric: the backlog as reported by splitters.
 *
 * Every splitter reports the lag of the whole group, so the largest value counts, as in
 * docs/examples/prometheus-adapter.yaml. The response contains the present values of the ready pods. If none
 * is ready, or none answers, there is no value, and the HPA does not change the number of pods.
 */

export type ExternalMetricAsked = NonNullable<ReturnType<typeof askedFor>>;

const API_VERSION = 'external.metrics.k8s.io/v1beta1';
export const GROUP_PATH = `/apis/${API_VERSION}`;
const PATH = /^\/apis\/external\.metrics\.k8s\.io\/v1beta1\/namespaces\/([^/]+)\/([^/?]+)$/;

/** Undefined if the path requests something else. Throws for selectors other than `a=b,c=d`. */
export function askedFor(url: URL) {
  const [, namespace, name] = PATH.exec(url.pathname) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const selector = url.searchParams.get('labelSelector') ?? '';
  const labels = selector.split(',').filter((requirement) => requirement !== '');
  return { namespace, name, labels: Object.fromEntries(labels.map(parseRequirement)) };
}

function parseRequirement(requirement: string): readonly [string, string] {
  const [, key, value] = /^([^=!\s]+)={1,2}([^=!\s]*)$/.exec(requirement) ?? [];
  if (key === undefined || value === undefined)
    throw new Error(`only labels that equal a value: ${requirement}`);
  return [key, value];
}

/** The values of one metric with these labels in a page of OpenMetrics text. */
export function samplesIn(page: string, { name, labels }: ExternalMetricAsked): readonly number[] {
  return page.split('\n').flatMap((line) => {
    const [, found, text = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (found !== name) return [];
    const has = Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, own]) => [key, own]));
    return Object.entries(labels).every(([key, wanted]) => has[key] === wanted) ? [Number(value)] : [];
  });
}

export function valueList({ name, labels }: ExternalMetricAsked, value: number | undefined, now: Date) {
  const item = { metricName: name, metricLabels: labels, timestamp: now.toISOString() };
  const items = value === undefined ? [] : [{ ...item, value: String(Math.round(value)) }];
  return { kind: 'ExternalMetricValueList', apiVersion: API_VERSION, metadata: {}, items };
}

export function resourceList() {
  const kind = 'ExternalMetricValueList';
  const resources = [{ name: '*', singularName: '', namespaced: true, kind, verbs: ['get'] }];
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: API_VERSION, resources };
}
