import { NotFoundError } from '@audiosplit/chassis/errors';
import { lagByTopic } from '@audiosplit/chassis/event-bus/bus-operations';
import { replayTopic } from '@audiosplit/chassis/event-bus/dead-letters';
import type { DeadLetterQueue } from '@audiosplit/chassis/event-bus/event-bus';
import { describeLetter } from '@audiosplit/chassis/event-bus/operator/describe-letter';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { CLOSED } from '../schemas/fields.ts';
import type { SharedBus } from './shared-bus.ts';
import { ActReason, act, procedure, router } from './trpc.ts';

/** Limit for reading and replaying. */
const MAX_LETTERS = 100;

const Queue = { group: Type.String({ maxLength: 255 }), topic: Type.String({ maxLength: 255 }) };
const QueueInput = Type.Object(Queue, CLOSED);
const ReplayInput = Type.Object(
  { ...Queue, count: Type.Integer({ minimum: 1, maximum: MAX_LETTERS }), reason: ActReason },
  CLOSED,
);

export const busRouter = router({
  /** The lag and the dead letters of each consumer group. */
  queues: procedure.query(({ ctx }) =>
    ctx.bus.use(async (bus) => {
      const [lag, queues] = await Promise.all([bus.lag(), bus.deadLetterQueues()]);
      const behind = new Map(
        lagByTopic(lag).map(({ group, topic, messages }) => [placeOf({ group, topic }), messages]),
      );
      return queues
        .map(({ group, topic, letters }) => {
          const replayed = behind.get(placeOf({ group, topic: replayTopic(group, topic) })) ?? 0;
          return { group, topic, letters, behind: (behind.get(placeOf({ group, topic })) ?? 0) + replayed };
        })
        .sort((a, b) => a.group.localeCompare(b.group) || a.topic.localeCompare(b.topic));
    }),
  ),

  letters: procedure.input(input(QueueInput)).query(async ({ ctx, input }) => {
    const queue = await findQueue(ctx.bus, input);
    const letters = await ctx.bus.use((bus) => bus.readDeadLetters(queue, MAX_LETTERS));
    return letters.map((letter) => {
      const { content, headers, ...described } = describeLetter(queue, letter);
      return { ...described, json: JSON.stringify({ headers, ...content }, undefined, 2) };
    });
  }),

  /** Replays the oldest dead letters, only for the group that failed to handle them. */
  replay: act(ReplayInput).mutation(async ({ ctx, input: { count, ...wanted } }) => {
    const queue = await findQueue(ctx.bus, wanted);
    const replayed = await ctx.bus.use((bus) => bus.replayDeadLetters(queue, count));
    return { replayed: replayed.length };
  }),
});

/** Throws NotFoundError. */
async function findQueue(bus: SharedBus, { group, topic }: DeadLetterQueue): Promise<DeadLetterQueue> {
  const queues = await bus.use((each) => each.deadLetterQueues());
  const queue = queues.find((each) => each.group === group && each.topic === topic);
  if (queue === undefined) throw new NotFoundError('This queue');
  return { group, topic };
}

function placeOf({ group, topic }: DeadLetterQueue): string {
  return JSON.stringify([group, topic]);
}
