/**
 * A second release, installed as in production: engines and Secrets exist before it and do not belong to it,
 * the Job runs all migrations before anything starts, and operators have their console. Its engines are a
 * trial's, in a separate namespace.
 */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPublicKeys, type KeyPair, makeKeyPair } from '@audiosplit/chassis/identity/keys';
import { PROCESSES, type Process } from '@audiosplit/proto/callers';
import type { KubernetesApi, Manifest } from '../../deploy/kubernetes/access/api.ts';
import { type ClusterLayout, HOST_ADDRESS } from '../../deploy/kubernetes/layout.ts';
import { runTool } from '../../deploy/provision/run-tool.ts';
import type { Task } from '../../deploy/provision/task.ts';
import { CHART, openRelease, RELEASE } from './release.ts';
import { ofEachComponent } from './trial-values.ts';
import { restrictedNamespace } from './workload.ts';

export const EXTERNAL_NAMESPACE = 'external';
export const ENGINES_NAMESPACE = 'engines';
export const OPERATOR = 'ada';
/** The key, in the Secret that holds everything, of a database URL that leads nowhere. */
export const WRONG_DATABASE_KEY = 'wrong-database-url';
export const SECRET = 'audiosplit';
export const IDENTITIES = 'audiosplit-identities';
/** The first one signs the calls of a release that predates process identities. */
const OWN_SECRETS = ['internal', 'auth', 'webhooks', 'download'];
/** The ConfigMap that ci/external-engines-values.yaml trusts. */
const AUTHORITIES = 'company-authorities';
const ENGINES = ['postgresql', 'redis', 'storage'];

export type ExternalRelease = Awaited<ReturnType<typeof openExternalRelease>>;

interface ExternalOptions {
  readonly helm: string;
  readonly kubectl: string;
  readonly layout: ClusterLayout;
  readonly folder: string;
  readonly api: KubernetesApi;
}

export async function openExternalRelease(
  { helm, kubectl, layout, folder, api }: ExternalOptions,
  task: Task,
) {
  const own = join(folder, 'external-values.json');
  await writeFile(own, `${JSON.stringify(externalValues(), null, 2)}\n`);
  const [postgresPassword, accessKeyId, secretAccessKey, redisPassword, operatorSecret] = Array.from(
    { length: 5 },
    newSecret,
  ) as [string, string, string, string, string];
  /** The URL of the databases' administrator, at a host and port. */
  const databaseUrl = (host: string, { password = postgresPassword, database = 'audiosplit' } = {}) =>
    `postgresql://postgres:${password}@${host}/${database}`;
  const storageKey = { 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey };
  const secretsOf = (database: string) => ({
    ...Object.fromEntries(OWN_SECRETS.map((of) => [`${of}-secret`, newSecret()])),
    'database-url': databaseUrl(hostOf('postgresql', 5432), { database }),
    [WRONG_DATABASE_KEY]: databaseUrl(hostOf('postgresql', 5432), { password: 'wrong' }),
    'redis-url': `redis://gateway:${redisPassword}@${hostOf('redis', 6379)}`,
    ...storageKey,
    credentials: `${OPERATOR}:${operatorSecret}`,
  });
  /** Creates a namespace with the objects that exist before a release, with its own database. */
  const prepareNamespace = async (namespace: string, database: string) => {
    await api.apply(restrictedNamespace(namespace));
    await api.apply(secretOf(namespace, SECRET, secretsOf(database)));
    await api.apply(secretOf(namespace, IDENTITIES, newIdentities()));
    await api.apply(await authoritiesOf(namespace, layout));
  };
  const valuesFiles = [join(CHART, 'ci/external-engines-values.yaml'), layout.values, own];
  return {
    release: openRelease({ helm, layout, namespace: EXTERNAL_NAMESPACE, valuesFiles, folder }, task),
    operatorSecret,
    databaseUrl,
    prepareNamespace,
    /** Resolves once engines have been requested and Secrets exist. */
    async prepare() {
      await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ENGINES_NAMESPACE } });
      await prepareNamespace(EXTERNAL_NAMESPACE, 'audiosplit');
      const ofEngines = {
        'postgresql-password': postgresPassword,
        'redis-users': `user default off\nuser gateway on >${redisPassword} ~* +@all\n`,
        'storage-users': '{ "accessAccounts": {} }',
        ...storageKey,
      };
      await api.apply(secretOf(ENGINES_NAMESPACE, `${RELEASE}-secrets`, ofEngines));
      const engines = await runTool(helm, renderEngines(layout), { signal: task.signal });
      const apply = ['--kubeconfig', layout.kubeconfig, '--namespace', ENGINES_NAMESPACE, 'apply', '-f', '-'];
      await runTool(kubectl, apply, { signal: task.signal, stdin: engines });
    },
  };
}

/** The chart's own engines, without the rest of the chart. */
function renderEngines(layout: ClusterLayout): readonly string[] {
  const settings = [
    `trial.engines={${ENGINES.join()}}`,
    'trial.persistence.enabled=false',
    'networkPolicies.enabled=false',
  ];
  return [
    ...['template', RELEASE, CHART, '--show-only', 'templates/trial.yaml'],
    ...['--values', join(CHART, 'ci/minimal-values.yaml'), '--values', layout.values],
    ...settings.flatMap((setting) => ['--set', setting]),
  ];
}

/**
 * Added to ci/external-engines-values.yaml: the addresses in this cluster, and sizes small enough for two
 * nodes that also run another release.
 */
export function externalValues() {
  const resources = { requests: { cpu: '25m', memory: '128Mi' } };
  const to = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': ENGINES_NAMESPACE } } }];
  return {
    image: { registry: '' },
    ingress: { enabled: false },
    egress: { allowCidrs: [`${HOST_ADDRESS}/32`] },
    storage: { endpoint: `http://${hostOf('storage', 7070)}` },
    networkPolicies: { postgresql: { to, port: 5432 }, redis: { to }, storage: { to } },
    operators: { enabled: true, credentials: { existingSecret: SECRET }, resources },
    drain: { graceSeconds: 20 },
    ...ofEachComponent({ replicas: 1, resources }),
    splitter: { replicas: 1, concurrency: 1, resources: { requests: { cpu: '50m', memory: '256Mi' } } },
  };
}

function hostOf(engine: string, port: number): string {
  return `${RELEASE}-${engine}.${ENGINES_NAMESPACE}:${port}`;
}

/** The engines of this test have no certificates; none of them uses the trusted authority. */
async function authoritiesOf(namespace: string, layout: ClusterLayout): Promise<Manifest> {
  const metadata = { name: AUTHORITIES, namespace };
  const data = { 'ca.crt': await readFile(join(layout.certificates, 'ca.crt'), 'utf8') };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function secretOf(namespace: string, name: string, stringData: Readonly<Record<string, string>>): Manifest {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData };
}

function newIdentities(): Readonly<Record<string, string>> {
  const pairs = Object.fromEntries(PROCESSES.map((process) => [process, makeKeyPair()])) as Record<
    Process,
    KeyPair
  >;
  const privateKeys = PROCESSES.map((process) => [`${process}-private-key`, pairs[process].privateKey]);
  return { ...Object.fromEntries(privateKeys), 'public-keys': formatPublicKeys(pairs) };
}

function newSecret(): string {
  return randomBytes(24).toString('hex');
}
