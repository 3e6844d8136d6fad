/** Lists dead letters, returns them to their consumer group, or drops them. It asks for no confirmation and prints each letter. */
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import type { BusOperations, DeadLetter } from '@audiosplit/chassis/event-bus/bus-operations';
import type { DeadLetterQueue } from '@audiosplit/chassis/event-bus/event-bus';
import { describeLetter } from '@audiosplit/chassis/event-bus/operator/describe-letter';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { renderTable } from './table.ts';

const ACTIONS = ['list', 'show', 'replay', 'discard'] as const;

export const DEAD_LETTERS_USAGE = `usage: npm run operate -- dead-letters list|show|replay|discard [--group <group>] [--topic <topic>] [--limit <number>]
list     one line for each message that a consumer group has given up, oldest first
show     the same in full, as JSON with the event decoded
replay   returns them to the group that failed, and to no other
discard  drops them; needs --group and --topic
--limit  at most so many of each group and topic, oldest first; default: 100 for list and show, else all`;

const LOOK_LIMIT = 100;
/** Letters per call. An interrupted call thus repeats few of them. */
const REPLAY_BATCH = 100;

/** Throws StartError with the usage. */
export function parseDeadLettersArguments(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { group: { type: 'string' }, topic: { type: 'string' }, limit: { type: 'string' } },
    });
    const action = ACTIONS.find((candidate) => candidate === positionals[0]);
    if (action === undefined || positionals.length !== 1) throw new Error('name one action');
    const { group, topic, limit } = values;
    if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
      throw new Error(`--limit ${limit} is not a number from 1`);
    }
    if (action === 'discard' && (group === undefined || topic === undefined)) {
      throw new Error('discard needs --group and --topic');
    }
    return { action, group, topic, limit: limit === undefined ? undefined : Number(limit) };
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n${DEAD_LETTERS_USAGE}`);
  }
}

/** Throws StartError for a group or topic without a queue of dead letters. */
export async function runDeadLettersCommand(
  operations: BusOperations,
  { action, group, topic, limit }: ReturnType<typeof parseDeadLettersArguments>,
  write: (text: string) => void,
): Promise<void> {
  const all = await operations.deadLetterQueues();
  const chosen = all.filter(
    (queue) => (group ?? queue.group) === queue.group && (topic ?? queue.topic) === queue.topic,
  );
  if (chosen.length === 0 && (group ?? topic) !== undefined) {
    const known = all.map((queue) => `--group ${queue.group} --topic ${queue.topic}`).join('\n');
    throw new StartError(`there is no such group and topic; there are:\n${known}`);
  }
  const queues = chosen.filter(({ letters }) => letters > 0);
  switch (action) {
    case 'list':
    case 'show': {
      const letters: QueuedLetter[] = [];
      for (const queue of queues) {
        const read = await operations.readDeadLetters(queue, limit ?? LOOK_LIMIT);
        letters.push(...read.map((letter) => ({ queue, letter })));
      }
      if (action === 'show') return write(`${JSON.stringify(letters.map(describeInFull), undefined, 2)}\n`);
      const total = queues.reduce((sum, queue) => sum + queue.letters, 0);
      if (letters.length > 0) write(renderTable([HEADINGS, ...letters.map(describeInLine)]));
      return write(`${letters.length} of ${total} dead letters\n`);
    }
    case 'replay':
    case 'discard': {
      const isReplay = action === 'replay';
      const act = isReplay ? operations.replayDeadLetters : operations.discardDeadLetters;
      let count = 0;
      for (const queue of queues) {
        // At most as many as there were, because a letter that fails again returns to the queue.
        let left = Math.min(limit ?? queue.letters, queue.letters);
        while (left > 0) {
          const done = await act(queue, Math.min(left, REPLAY_BATCH));
          if (done.length === 0) break;
          for (const letter of done) {
            const [, ...line] = describeInLine({ queue, letter });
            write(`${isReplay ? 'replayed to' : 'discarded from'} ${queue.group}  ${line.join('  ')}\n`);
          }
          left -= done.length;
          count += done.length;
        }
      }
      return write(`${count} dead letters ${isReplay ? 'replayed' : 'discarded'}\n`);
    }
    default:
      action satisfies never;
  }
}

interface QueuedLetter {
  readonly queue: DeadLetterQueue;
  readonly letter: DeadLetter;
}

const HEADINGS = ['group', 'topic', 'position', 'failed at', 'key', 'event', 'deliveries', 'error'];
const MAX_ERROR_LENGTH = 100;

function describeInLine({ queue, letter }: QueuedLetter): string[] {
  const { position, failedAt, key, name, deliveries, error } = describeLetter(queue, letter);
  // Control characters in the text must not reach the terminal.
  const printed = error.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MAX_ERROR_LENGTH);
  return [queue.group, queue.topic, position, failedAt, key, name, String(deliveries), printed];
}

function describeInFull({ queue, letter }: QueuedLetter) {
  const { name: _, content, ...described } = describeLetter(queue, letter);
  return { group: queue.group, topic: queue.topic, ...described, ...content };
}
