/**
 * An event bus that is only as good as its port promises: at least once, in order per key only.
 * Acknowledgements get lost, and members are considered dead while they work, so that messages arrive again,
 * also at two members at once. Partitions run at different speeds, so that their messages overtake one
 * another.
 */
import { createHash } from 'node:crypto';
import {
  DEFAULT_MAX_DELIVERIES,
  type EventBus,
  MAX_CONCURRENT_HANDLERS,
  type OutgoingMessage,
  redeliveryDelayMs,
  type SubscribeOptions,
} from '@audiosplit/chassis/event-bus/event-bus';
import { callPort, type Faults } from '../faults/faults.ts';
import type { SimulatedProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';

const PARTITIONS_PER_TOPIC = 4;
/** How long the partitions of a dead member are not consumed. */
const MEMBER_LEASE_MS = 10_000;
const TAKEN_FOR_DEAD_RATE = 0.01;

export type SimulatedBus = ReturnType<typeof createSimulatedBus>;

interface Member {
  readonly process: SimulatedProcess;
  readonly options: SubscribeOptions;
  isPaused: boolean;
  inHand: number;
}

interface Lane {
  readonly messages: readonly OutgoingMessage[];
  next: number;
  delivery: number;
  isBusy: boolean;
}

interface Group {
  readonly members: Set<Member>;
  readonly lanes: Map<readonly OutgoingMessage[], Lane>;
}

export function createSimulatedBus(world: World, faults: Faults) {
  const { random } = world;
  const partitions = new Map<string, OutgoingMessage[][]>();
  const groups = new Map<string, Group>();
  const published: OutgoingMessage[] = [];

  const partitionsOf = (topic: string) =>
    partitions.getOrInsertComputed(topic, () => Array.from({ length: PARTITIONS_PER_TOPIC }, () => []));

  function append(message: OutgoingMessage): void {
    const digest = createHash('sha1').update(message.key).digest();
    partitionsOf(message.topic)[digest.readUInt8(0) % PARTITIONS_PER_TOPIC]?.push(message);
    published.push(message);
  }

  function pumpAll(): void {
    for (const group of groups.values()) pump(group);
  }

  function pump(group: Group): void {
    for (const lane of group.lanes.values()) {
      if (lane.isBusy || lane.next >= lane.messages.length) continue;
      const ready = [...group.members].filter(
        ({ isPaused, inHand, options }) =>
          !isPaused && inHand < (options.maxConcurrentHandlers ?? MAX_CONCURRENT_HANDLERS),
      );
      if (ready.length === 0) return;
      deliver(group, lane, random.pick(ready));
    }
  }

  function deliver(group: Group, lane: Lane, member: Member): void {
    const message = lane.messages[lane.next];
    if (message === undefined) return;
    lane.isBusy = true;
    member.inHand += 1;
    lane.delivery += 1;
    const { delivery } = lane;
    const abort = new AbortController();
    let isOurs = true;
    const letGo = (pauseMs: number, hasMessage: 'consumed' | 'not consumed') => {
      if (!isOurs) return;
      isOurs = false;
      if (hasMessage === 'consumed') {
        lane.next += 1;
        lane.delivery = 0;
      }
      world.scheduleAnyway(pauseMs, () => {
        lane.isBusy = false;
        pump(group);
      });
    };
    const forget = member.process.onDeath(() => letGo(MEMBER_LEASE_MS, 'not consumed'));
    const finish = (pauseMs: number, hasMessage: 'consumed' | 'not consumed') => {
      forget();
      member.inHand -= 1;
      letGo(pauseMs, hasMessage);
      pump(group);
    };
    const work = async () => {
      try {
        await member.options.handler({ ...message, delivery }, abort.signal);
        const outcome = faults.outcomeOf('bus acknowledgement');
        world.record(`${member.options.group} acknowledges ${message.topic}: ${outcome}`);
        finish(faults.latencyMs(), outcome === 'done' ? 'consumed' : 'not consumed');
      } catch (error) {
        const isLast = delivery >= (member.options.maxDeliveries ?? DEFAULT_MAX_DELIVERIES);
        world.record(`${member.options.group} rejects ${message.topic}: ${String(error)}`);
        // A dead letter is replayed at once, as an operator does in the end.
        if (isLast) {
          faults.note('dead letter replayed');
          append(message);
        }
        finish(redeliveryDelayMs(delivery), isLast ? 'consumed' : 'not consumed');
      }
    };
    world.scheduleAnyway(faults.latencyMs(), () => {
      if (!member.process.isAlive()) return;
      world.record(`${message.topic} to ${member.process.name} (${delivery})`);
      if (faults.areOn() && random.chance(TAKEN_FOR_DEAD_RATE)) {
        world.scheduleAnyway(random.between(1, 3_000), () => {
          if (!isOurs) return;
          faults.note('a consumer is taken for dead');
          abort.abort(new Error('the partition has been taken away'));
          letGo(0, 'not consumed');
        });
      }
      void member.process.run(work);
    });
  }

  const publish = (messages: readonly OutgoingMessage[]) =>
    callPort({ world, faults }, 'bus publish', `${messages.length} messages`, () => {
      for (const message of messages) append(message);
      world.scheduleAnyway(1, pumpAll);
    });

  return {
    /** All messages that were ever published. */
    published: published as readonly OutgoingMessage[],
    publish,
    /** Whether every group has received every message. */
    isDrained: () =>
      [...groups.values()].every((group) =>
        [...group.lanes.values()].every((lane) => lane.next >= lane.messages.length && !lane.isBusy),
      ),
    connect(process: SimulatedProcess): EventBus {
      return {
        publish,
        async subscribe(options) {
          const group = groups.getOrInsertComputed(options.group, () => ({
            members: new Set(),
            lanes: new Map(),
          }));
          for (const messages of options.topics.flatMap(partitionsOf))
            group.lanes.getOrInsert(messages, { messages, next: 0, delivery: 0, isBusy: false });
          const member: Member = { process, options, isPaused: false, inHand: 0 };
          group.members.add(member);
          process.onDeath(() => group.members.delete(member));
          world.scheduleAnyway(1, () => pump(group));
          return {
            pause() {
              member.isPaused = true;
            },
            resume() {
              member.isPaused = false;
              pump(group);
            },
            async [Symbol.asyncDispose]() {
              group.members.delete(member);
            },
          };
        },
        async check() {},
        async [Symbol.asyncDispose]() {},
      };
    },
  };
}
