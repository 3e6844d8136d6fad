/** PostgreSQL, Kafka, Redis and S3: killed, frozen, slow, wiped, failing after they did the work. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ObjectStoreFault } from '../../harness/faults/proxies/object-store-proxy.ts';
import type { Toxic } from '../../harness/faults/proxies/toxiproxy.ts';
import type { EngineName } from '../../harness/installation/engine-controls.ts';
import { type Fault, untilHit } from './fault.ts';

const OUTAGE_MS = [2_000, 6_000] as const;
/** The applications of services that write within seconds. */
const COMMITTERS = ['audiosplit-jobs', 'audiosplit-billing', 'audiosplit-webhooks'];
const COMMIT_WITHIN_MS = 20_000;

export const ENGINE_FAULTS: readonly Fault[] = [
  killed('kafka-kill', 'Kafka: SIGKILL', 'kafka'),
  frozen('kafka-freeze', 'Kafka: SIGSTOP, SIGCONT', 'kafka'),
  onKafkaConnections('kafka-slow', 'Kafka: slow connections', {
    type: 'latency',
    attributes: { latency: 700, jitter: 500 },
  }),
  onKafkaConnections('kafka-reset', 'Kafka: connections reset', {
    type: 'reset_peer',
    attributes: { timeout: 100 },
  }),
  killed('redis-kill', 'Redis: SIGKILL', 'redis'),
  frozen('redis-hang', 'Redis: SIGSTOP, SIGCONT', 'redis'),
  {
    kind: 'redis-flush',
    title: 'Redis: FLUSHALL',
    targets: () => ['redis'],
    async inject({ installation }) {
      await flush(installation.endpoints.redisUrl);
      return {};
    },
  },
  // Without a checkpoint; it recovers at the next start.
  killed('postgres-stop', 'PostgreSQL: immediate stop', 'postgres'),
  {
    kind: 'commit-reply-lost',
    title: 'PostgreSQL: answer to a commit lost',
    targets: () => COMMITTERS,
    claims: (target) => ['postgres', target],
    async inject({ engineProxies }, { target }) {
      const lost = engineProxies.proxies().loseNextCommit(target, COMMIT_WITHIN_MS);
      // Awaited below.
      lost.catch(() => undefined);
      return { proof: async () => `${target}: the answer "${(await lost).tag}" was lost` };
    },
  },
  onStore('s3-errors', 'S3: 503 SlowDown', 'errors'),
  onStore('s3-truncated-uploads', 'S3: uploads broken off half-way', 'truncated uploads'),
  onStore('s3-lost-answers', 'S3: uploads stored, answers lost', 'lost answers'),
];

function killed(kind: string, title: string, engine: EngineName): Fault {
  return {
    kind,
    title,
    targets: () => [engine],
    kills: true,
    async inject({ installation: { engines } }) {
      const formerPid = engines.pid(engine);
      if (formerPid === undefined) throw new Error(`${engine} does not run`);
      await engines.kill(engine);
      return { engines: [{ name: engine, formerPid }] };
    },
  };
}

function outage(kind: string, title: string, target: string, inject: Fault['inject']): Fault {
  return { kind, title, targets: () => [target], holdMs: () => OUTAGE_MS, inject };
}

function frozen(kind: string, title: string, engine: EngineName): Fault {
  return outage(kind, title, engine, async ({ installation: { engines } }) => {
    engines.freeze(engine);
    return { lift: () => engines.thaw(engine) };
  });
}

function onKafkaConnections(kind: string, title: string, toxic: Toxic): Fault {
  return outage(kind, title, 'kafka', async ({ engineProxies }) => ({
    lift: await engineProxies.addKafkaToxic(toxic),
  }));
}

function onStore(kind: string, title: string, fault: ObjectStoreFault): Fault {
  return outage(kind, title, 's3', async ({ engineProxies }) => {
    const proxies = engineProxies.proxies();
    await proxies.breakStore(fault);
    return { proof: () => untilHit(() => proxies.storeHits()), lift: () => proxies.mendStore() };
  });
}

async function flush(redisUrl: string): Promise<void> {
  const { hostname: host, port } = new URL(redisUrl);
  const socket = connect({ host, port: Number(port) });
  try {
    socket.write('FLUSHALL\r\n');
    const [reply] = await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
    if (!String(reply).startsWith('+OK')) throw new Error(`Redis answered FLUSHALL with ${reply}`);
  } finally {
    socket.destroy();
  }
}
