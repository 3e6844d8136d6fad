/** PostgreSQL, Kafka, Redis and S3: killed, standing still, slow, forgetful, lying about what they did. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { EngineName } from '../../../deploy/engines/engine.ts';
import type { ObjectStoreFault } from '../../harness/faults/proxies/object-store-proxy.ts';
import type { Toxic } from '../../harness/faults/proxies/toxiproxy.ts';
import { KAFKA_PROXY, type Site } from '../site.ts';
import type { Fault } from './fault.ts';
import { untilHit } from './until-hit.ts';

const OUTAGE_MS = [2_000, 6_000] as const;
/** As many as the services have, so that there are writes within seconds. */
const COMMITTERS = ['audiosplit-jobs', 'audiosplit-billing', 'audiosplit-webhooks'];
const COMMIT_WITHIN_MS = 20_000;

export const ENGINE_FAULTS: readonly Fault[] = [
  killed('kafka-kill', 'Kafka: SIGKILL', 'kafka', 'SIGKILL'),
  frozen('kafka-freeze', 'Kafka: SIGSTOP, SIGCONT', 'kafka'),
  onKafkaConnections('kafka-slow', 'Kafka: slow connections', {
    type: 'latency',
    attributes: { latency: 700, jitter: 500 },
  }),
  onKafkaConnections('kafka-reset', 'Kafka: connections reset', {
    type: 'reset_peer',
    attributes: { timeout: 100 },
  }),
  killed('redis-kill', 'Redis: SIGKILL', 'redis', 'SIGKILL'),
  frozen('redis-hang', 'Redis: SIGSTOP, SIGCONT', 'redis'),
  {
    kind: 'redis-flush',
    title: 'Redis: FLUSHALL',
    targets: () => ['redis'],
    holdMs: () => [0, 0],
    recoveryFrom: 'injection',
    async inject(site) {
      await flush(site.redisPort());
      return {};
    },
  },
  // SIGQUIT is PostgreSQL's immediate shutdown: no checkpoint, recovery at the next start.
  killed('postgres-stop', 'PostgreSQL: immediate stop', 'postgres', 'SIGQUIT'),
  {
    kind: 'commit-reply-lost',
    title: 'PostgreSQL: answer to a commit lost',
    targets: () => COMMITTERS,
    claims: (target) => ['postgres', target],
    holdMs: () => [0, 0],
    recoveryFrom: 'lift',
    async inject(site, { target }) {
      const lost = site.proxies.loseNextCommit(target, COMMIT_WITHIN_MS);
      // Heard of in lift.
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

function killed(kind: string, title: string, engine: EngineName, signal: NodeJS.Signals): Fault {
  return {
    kind,
    title,
    targets: () => [engine],
    kills: true,
    holdMs: () => [0, 0],
    recoveryFrom: 'injection',
    async inject(site) {
      return { engines: [{ name: engine, formerPid: send(site, engine, signal) }] };
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
    async inject(site) {
      send(site, engine, 'SIGSTOP');
      return {
        async lift() {
          send(site, engine, 'SIGCONT');
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
    async inject({ toxiproxy }) {
      const remove = await toxiproxy.addToxic(KAFKA_PROXY, toxic);
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
    async inject({ proxies }) {
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

function send(site: Site, engine: EngineName, signal: NodeJS.Signals): number {
  const pid = site.enginePid(engine);
  if (pid === undefined) throw new Error(`${engine} does not run`);
  process.kill(pid, signal);
  return pid;
}

async function flush(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port });
  try {
    socket.write('FLUSHALL\r\n');
    const [reply] = await once(socket, 'data', { signal: AbortSignal.timeout(5_000) });
    if (!String(reply).startsWith('+OK')) throw new Error(`Redis answered FLUSHALL with ${reply}`);
  } finally {
    socket.destroy();
  }
}
