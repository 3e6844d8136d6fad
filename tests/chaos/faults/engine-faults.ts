/** PostgreSQL, Kafka, Redis and S3: killed, frozen, slow, emptied, failing after they did the work. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { ObjectStoreFault } from '../../harness/faults/proxies/object-store-proxy.ts';
import type { Toxic } from '../../harness/faults/proxies/toxiproxy.ts';
import type { EngineName } from '../../harness/installation/engine-controls.ts';
import type { Fault } from './fault.ts';
import { untilHit } from './until-hit.ts';

const OUTAGE_MS = [2_000, 6_000] as const;
/** As many as the services have, so that there are writes within seconds. */
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
    holdMs: () => [0, 0],
    recoveryFrom: 'injection',
    async inject({ installation }) {
      await flush(installation.endpoints.redisUrl);
      return {};
    },
  },
  // No checkpoint, recovery at the next start.
  killed('postgres-stop', 'PostgreSQL: immediate stop', 'postgres'),
  {
    kind: 'commit-reply-lost',
    title: 'PostgreSQL: answer to a commit lost',
    targets: () => COMMITTERS,
    claims: (target) => ['postgres', target],
    holdMs: () => [0, 0],
    recoveryFrom: 'lift',
    async inject({ engineProxies }, { target }) {
      const lost = engineProxies.proxies().loseNextCommit(target, COMMIT_WITHIN_MS);
      // Awaited in lift.
      lost.catch(() => undefined);
      return {
        async lift() {
          const { tag } = await lost;
          return `${target}: the answer "${tag}" was lost`;
        },
      };
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
    holdMs: () => [0, 0],
    recoveryFrom: 'injection',
    async inject({ installation: { engines } }) {
      const formerPid = engines.pid(engine);
      if (formerPid === undefined) throw new Error(`${engine} does not run`);
      await engines.kill(engine);
      return { engines: [{ name: engine, formerPid }] };
    },
  };
}

function frozen(kind: string, title: string, engine: EngineName): Fault {
  return {
    kind,
    title,
    targets: () => [engine],
    holdMs: () => OUTAGE_MS,
    recoveryFrom: 'lift',
    async inject({ installation: { engines } }) {
      engines.freeze(engine);
      return {
        async lift() {
          engines.thaw(engine);
          return undefined;
        },
      };
    },
  };
}

function onKafkaConnections(kind: string, title: string, toxic: Toxic): Fault {
  return {
    kind,
    title,
    targets: () => ['kafka'],
    holdMs: () => OUTAGE_MS,
    recoveryFrom: 'lift',
    async inject({ engineProxies }) {
      const remove = await engineProxies.addKafkaToxic(toxic);
      return {
        async lift() {
          await remove();
          return undefined;
        },
      };
    },
  };
}

function onStore(kind: string, title: string, fault: ObjectStoreFault): Fault {
  return {
    kind,
    title,
    targets: () => ['s3'],
    holdMs: () => OUTAGE_MS,
    recoveryFrom: 'lift',
    async inject({ engineProxies }) {
      const proxies = engineProxies.proxies();
      await proxies.breakStore(fault);
      return {
        async lift() {
          try {
            return await untilHit(() => proxies.storeHits());
          } finally {
            await proxies.mendStore();
          }
        },
      };
    },
  };
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
