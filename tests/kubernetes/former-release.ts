/**
 * A release as in production before each process had its own key (former-images.ts), with the second
 * release's engines and its own database; and the same release installed with the present chart.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@audiosplit/chassis/testing/until';
import pg from 'pg';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import type { ClusterLayout } from '../../deploy/kubernetes/layout.ts';
import { chartVersion } from '../../deploy/provision/chart-version.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { limitOf } from '../harness/accounts/limits.ts';
import type { Account } from '../harness/accounts/open-account.ts';
import {
  ENGINES_NAMESPACE,
  type ExternalRelease,
  externalValues,
  IDENTITIES,
  SECRET,
} from './external-release.ts';
import { FORMER_TAG, type FormerImages } from './former-images.ts';
import { openRaisedAccount, REQUESTS_PER_MINUTE } from './limits.ts';
import type { ForwardPort } from './port-forward.ts';
import { CHART, entryUrl, openRelease, RELEASE } from './release.ts';
import { entryService } from './workload.ts';

export const FORMER_NAMESPACE = 'former';
const DATABASE = 'former';
const ENTRY_PORT = 30_081;
const ENTRY_URL = entryUrl(ENTRY_PORT);
const LIMIT_TIMEOUT_MS = 60_000;

export type FormerRelease = Awaited<ReturnType<typeof openFormerRelease>>;

interface FormerOptions {
  readonly helm: string;
  readonly layout: ClusterLayout;
  readonly folder: string;
  readonly api: KubernetesApi;
  readonly forward: ForwardPort;
  readonly external: ExternalRelease;
  readonly images: FormerImages;
  /** The node that has the images. */
  readonly node: string;
}

export async function openFormerRelease(options: FormerOptions, task: Task) {
  const { helm, layout, folder, api, forward, external, images, node } = options;
  const openOf = async (chart: string, tag: string) => {
    const own = join(folder, `former-values-${tag}.json`);
    await writeFile(own, `${JSON.stringify(valuesOf(tag, node), null, 2)}\n`);
    const valuesFiles = [join(chart, 'ci/external-engines-values.yaml'), layout.values, own];
    return openRelease({ helm, layout, namespace: FORMER_NAMESPACE, valuesFiles, chart, folder }, task);
  };
  let user: Account | undefined;
  const openUser = async () => {
    const operator = { api, forward, namespace: FORMER_NAMESPACE, secrets: [SECRET, IDENTITIES] };
    const opened = await openRaisedAccount(operator, ENTRY_URL, REQUESTS_PER_MINUTE);
    const { apiKey } = opened;
    const isRaised = async () => (await limitOf(ENTRY_URL, { apiKey })) === REQUESTS_PER_MINUTE;
    await until(isRaised, 'the gateway applies the limit', LIMIT_TIMEOUT_MS);
    return opened;
  };
  return {
    former: await openOf(images.chart, FORMER_TAG),
    present: await openOf(CHART, await chartVersion()),
    async prepare() {
      await external.prepareNamespace(FORMER_NAMESPACE, DATABASE);
      await api.apply(entryService(FORMER_NAMESPACE, ENTRY_PORT));
      await using port = await forward(ENGINES_NAMESPACE, `service/${RELEASE}-postgresql`, 5432);
      const client = new pg.Client({ connectionString: external.databaseUrl(new URL(port.url).host) });
      await client.connect();
      await client.query(`create database ${DATABASE}`).finally(() => client.end());
    },
    /** An account whose limits are raised. */
    user: async () => {
      user ??= await openUser();
      return user;
    },
  };
}

/** Values that both charts accept. */
function valuesOf(tag: string, node: string) {
  const resources = { requests: { cpu: '50m', memory: '256Mi' } };
  return {
    ...externalValues(),
    image: { registry: '', tag },
    publicBaseUrl: ENTRY_URL,
    podDefaults: { nodeSelector: { 'kubernetes.io/hostname': node } },
    secrets: { internal: { existingSecret: SECRET } },
    operators: { enabled: false },
    splitter: { replicas: 2, concurrency: 2, resources },
  };
}
