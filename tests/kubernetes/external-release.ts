/**
 * A second release, as production is installed: engines and Secrets are there before it and are none of its own, each migration is
 * the Job's before anything starts, operators have their console. Its engines are a trial's, in a namespace of their own.
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
/** Of the Secret that everything is in, the key with a database's URL that leads nowhere. */
export const WRONG_DATABASE_KEY = 'wrong-database-url';
const SECRET = 'audiosplit';
const IDENTITIES = 'audiosplit-identities';
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
  /** Of the database's administrator, at a host and port. */
  const databaseUrl = (host: string, password = postgresPassword) =>
    `postgresql://postgres:${password}@${host}/audiosplit`;
  const storageKey = { 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey };
  const secrets = {
    ...Object.fromEntries(['auth', 'webhooks', 'download'].map((of) => [`${of}-secret`, newSecret()])),
    'database-url': databaseUrl(hostOf('postgresql', 5432)),
    [WRONG_DATABASE_KEY]: databaseUrl(hostOf('postgresql', 5432), 'wrong'),
    'redis-url': `redis://gateway:${redisPassword}@${hostOf('redis', 6379)}`,
    ...storageKey,
    credentials: `${OPERATOR}:${operatorSecret}`,
  };
  const valuesFiles = [join(CHART, 'ci/external-engines-values.yaml'), layout.values, own];
  return {
    release: openRelease({ helm, layout, namespace: EXTERNAL_NAMESPACE, valuesFiles, folder }, task),
    operatorSecret,
    databaseUrl,
    /** Resolves once engines have been asked for and Secrets are there. */
    async prepare() {
      await api.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ENGINES_NAMESPACE } });
      await api.apply(restrictedNamespace(EXTERNAL_NAMESPACE));
      const ofEngines = {
        'postgresql-password': postgresPassword,
        'redis-users': `user default off\nuser gateway on >${redisPassword} ~* +@all\n`,
        'storage-users': '{ "accessAccounts": {} }',
        ...storageKey,
      };
      await api.apply(secretOf(ENGINES_NAMESPACE, `${RELEASE}-secrets`, ofEngines));
      await api.apply(secretOf(EXTERNAL_NAMESPACE, SECRET, secrets));
      await api.apply(secretOf(EXTERNAL_NAMESPACE, IDENTITIES, newIdentities()));
      await api.apply(await authoritiesOf(layout));
      const engines = await runTool(helm, renderEngines(layout), { signal: task.signal });
      const apply = ['--kubeconfig', layout.kubeconfig, '--namespace', ENGINES_NAMESPACE, 'apply', '-f', '-'];
      await runTool(kubectl, apply, { signal: task.signal, stdin: engines });
    },
  };
}

/** The chart's own, without the chart. */
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

/** On top of ci/external-engines-values.yaml: where things are here, and small enough for two nodes that carry another release. */
function externalValues() {
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

/** The engines of this test have no certificates; the trusted authority is one that none of them uses. */
async function authoritiesOf(layout: ClusterLayout): Promise<Manifest> {
  const metadata = { name: AUTHORITIES, namespace: EXTERNAL_NAMESPACE };
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
