/** The steps for the second release: production features that a trial does not use. */
import { messageOf } from '@audiosplit/chassis/errors';
import type { KubernetesApi } from '../../deploy/kubernetes/access/api.ts';
import { isReady } from '../../deploy/kubernetes/conditions.ts';
import { openBrowser } from '../harness/installation/console.fixture.ts';
import {
  ENGINES_NAMESPACE,
  EXTERNAL_NAMESPACE,
  type ExternalRelease,
  OPERATOR,
  WRONG_DATABASE_KEY,
} from './external-release.ts';
import { type LoadContext, untilSeen } from './load.ts';
import { assertMigratedFirst, migratedAt } from './migrations-first.ts';
import { expandSchemas, NEWER_MIGRATION } from './newer-schema.ts';
import type { ForwardPort } from './port-forward.ts';
import { RELEASE } from './release.ts';
import { whileJobRuns } from './running-job.ts';
import { componentOf, type Pod, podsIn } from './workload.ts';

export interface ExternalContext extends LoadContext {
  readonly api: KubernetesApi;
  readonly external: ExternalRelease;
  readonly forward: ForwardPort;
  readonly otherTag: string;
  /** See running-job.ts. */
  readonly lastingSource: string;
}

const WRONG_DATABASE = [
  'postgresql.migrations.existingSecret=audiosplit',
  `postgresql.migrations.key=${WRONG_DATABASE_KEY}`,
  'migrations.backoffLimit=0',
];
/** The first installation: the revision before the present one is the failed one. */
const FIRST_REVISION = 1;
/** Each query uses a different component that the console calls: a service, another service, and the bus. */
const CONSOLE_QUERIES = ['jobs.queue', 'jobs.workers', 'bus.queues'];

export async function installBesideEngines(context: ExternalContext): Promise<string> {
  const { api, external } = context;
  await external.prepare();
  await untilSeen(context, 'engines are ready', async () => {
    const engines = await api.list<Pod>(podsIn(ENGINES_NAMESPACE));
    return engines.length > 0 && engines.every(isReady);
  });
  await external.release.install();
  const pods = await podsOfRelease(api);
  const migrated = await assertMigratedFirst(api, pods, 0);
  await external.release.test();
  return `${migrated}; ${pods.length} pods became ready with engines of another namespace; a split works`;
}

export async function openConsole({ external, forward }: ExternalContext): Promise<string> {
  await using port = await forward(EXTERNAL_NAMESPACE, `service/${RELEASE}-operators`, 8090);
  const page = await fetch(port.url);
  const text = await page.text();
  if (page.status !== 200 || !text.includes('<script'))
    throw new Error(`no page, but ${page.status}: ${text}`);
  const browser = openBrowser(port.url, '/trpc');
  const [first = ''] = CONSOLE_QUERIES;
  const stranger = await browser.query(first);
  if (stranger.status !== 401) throw new Error(`a stranger is answered ${stranger.status}`);
  const wrong = await browser.mutate('session.signIn', { operator: OPERATOR, secret: 'a guess' });
  if (wrong.status !== 401) throw new Error(`a wrong secret is answered ${wrong.status}`);
  const { operatorSecret: secret } = external;
  const right = await browser.mutate('session.signIn', { operator: OPERATOR, secret });
  if (right.status !== 200) throw new Error(`the right secret is answered ${right.status}`);
  for (const path of CONSOLE_QUERIES) {
    const { status, body } = await browser.query(path);
    if (status !== 200) throw new Error(`${path} is answered ${status}: ${JSON.stringify(body)}`);
  }
  return `the page comes through a forwarded port; a wrong secret is refused, the right one shows ${CONSOLE_QUERIES.join(', ')}`;
}

export async function failMigrations({ api, external, otherTag }: ExternalContext): Promise<string> {
  const before = await podsOfRelease(api);
  const upgrade = external.release.upgrade([`image.tag=${otherTag}`, ...WRONG_DATABASE]);
  const said = await upgrade.then(() => undefined, messageOf);
  if (said === undefined) throw new Error('Helm was content with migrations that cannot have been done');
  if (!/hook/.test(said)) throw new Error(`Helm failed for another reason: ${said}`);
  const after = await podsOfRelease(api);
  if (!isSame(before, after)) throw new Error('pods of before were touched');
  const reasons = await logOfMigrations(api);
  if (!/password authentication failed/.test(reasons))
    throw new Error(`the Job's log does not say why: ${reasons}`);
  await external.release.test();
  return `Helm: ${lastLine(said)}; the Job is still there and says why (password authentication failed); all ${after.length} pods are those of before, and a split works`;
}

export async function upgradeAfterAll(context: ExternalContext): Promise<string> {
  const { api, external, otherTag } = context;
  const before = await podsOfRelease(api);
  const migratedMs = (await migratedAt(api)) ?? 0;
  const after = await whileJobRuns(context, async () => {
    await external.release.upgrade([`image.tag=${otherTag}`]);
    return await podsOfOtherTag(context);
  });
  if (after.some(({ metadata: { uid } }) => before.some((pod) => pod.metadata.uid === uid))) {
    throw new Error('a pod of before is still there');
  }
  const migrated = await assertMigratedFirst(api, after, migratedMs + 1);
  await external.release.test();
  return `${migrated}; ${after.length} pods were replaced; a job that ran meanwhile completed, and a split works`;
}

export async function runOnNewerSchema(context: ExternalContext): Promise<string> {
  const { api, external, forward, otherTag } = context;
  await using port = await forward(ENGINES_NAMESPACE, `service/${RELEASE}-postgresql`, 5432);
  const before = await podsOfRelease(api);
  const widened = await expandSchemas(external.databaseUrl(new URL(port.url).host));
  await external.release.test();
  if (!isSame(before, await podsOfRelease(api)))
    throw new Error('pods have started again on the newer schema');
  await external.release.rollback(FIRST_REVISION);
  await untilSeen(context, 'the pods are replaced', async () => !hasTag(await podsOfRelease(api), otherTag));
  await external.release.test();
  const migratedMs = (await migratedAt(api)) ?? 0;
  await external.release.upgrade([`image.tag=${otherTag}`]);
  await assertMigratedFirst(api, await podsOfOtherTag(context), migratedMs + 1);
  await external.release.test();
  return `${widened} tables have a column more, each schema a table more and ${NEWER_MIGRATION}; pods that ran went on, pods that a rollback started on it work, and so does an upgrade whose migrations know nothing of it: a split each`;
}

/** Resolves once all pods have the tag. */
async function podsOfOtherTag(context: ExternalContext): Promise<readonly Pod[]> {
  const { api, otherTag } = context;
  await untilSeen(context, `every pod is of ${otherTag}`, async () => {
    const pods = await podsOfRelease(api);
    return pods.length > 0 && pods.every((pod) => hasTag([pod], otherTag));
  });
  return await podsOfRelease(api);
}

/** The release's permanent pods: neither the Job's nor the test's. */
async function podsOfRelease(api: KubernetesApi): Promise<readonly Pod[]> {
  const pods = await api.list<Pod>(podsIn(EXTERNAL_NAMESPACE));
  return pods.filter((pod) => !['migrations', 'test'].includes(componentOf(pod)));
}

async function logOfMigrations(api: KubernetesApi): Promise<string> {
  const [pod] = await api.list<Pod>(podsIn(EXTERNAL_NAMESPACE), 'app.kubernetes.io/component=migrations');
  if (pod === undefined) throw new Error('the Job has left no pod to look at');
  const log = `${podsIn(EXTERNAL_NAMESPACE)}/${pod.metadata.name}/log?container=jobs`;
  return JSON.stringify(await api.call('GET', log));
}

function isSame(before: readonly Pod[], after: readonly Pod[]): boolean {
  const state = (pods: readonly Pod[]) =>
    pods.map(({ metadata, status }) => [metadata.uid, status.containerStatuses?.[0]?.restartCount]).sort();
  return after.every(isReady) && JSON.stringify(state(before)) === JSON.stringify(state(after));
}

function hasTag(pods: readonly Pod[], tag: string): boolean {
  return pods.some(({ spec }) => spec.containers.some(({ image }) => image.endsWith(`:${tag}`)));
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
