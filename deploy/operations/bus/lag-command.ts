/** Prints how far consumers are behind, and how many dead letters wait, as a table or as metrics. */
import { parseArgs } from 'node:util';
import { messageOf } from '@audiosplit/chassis/errors';
import { type BusOperations, lagByTopic } from '@audiosplit/chassis/event-bus/bus-operations';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { renderTable } from './table.ts';

export const LAG_USAGE = `usage: npm run operate -- lag [--format table|openmetrics]
Messages that each consumer group has not handled yet, and its dead letters.`;

/** Throws StartError. */
export function parseLagArguments(args: readonly string[]): 'table' | 'openmetrics' {
  try {
    const options = { format: { type: 'string', default: 'table' } } as const;
    const { format } = parseArgs({ args: [...args], options }).values;
    if (format === 'table' || format === 'openmetrics') return format;
    throw new Error(`there is no format ${format}`);
  } catch (error) {
    throw new StartError(`${messageOf(error)}\n${LAG_USAGE}`);
  }
}

export async function runLagCommand(
  operations: BusOperations,
  format: ReturnType<typeof parseLagArguments>,
  write: (text: string) => void,
): Promise<void> {
  const [lag, queues] = await Promise.all([operations.lag(), operations.deadLetterQueues()]);
  if (format === 'table') {
    const lines = lagByTopic(lag).map(({ group, topic, messages }) => [group, topic, String(messages)]);
    write(renderTable([['group', 'topic', 'not handled'], ...lines]));
    const letters = queues.filter((queue) => queue.letters > 0);
    for (const queue of letters) write(`${queue.letters} dead letters of ${queue.group} in ${queue.topic}\n`);
    return;
  }
  write(
    [
      '# TYPE audiosplit_consumer_lag_messages gauge',
      '# HELP audiosplit_consumer_lag_messages Messages of a partition that a consumer group has not handled.',
      ...lag.map(
        ({ group, topic, partition, messages }) =>
          `audiosplit_consumer_lag_messages{group="${group}",topic="${topic}",partition="${partition}"} ${messages}`,
      ),
      '# TYPE audiosplit_dead_letters gauge',
      '# HELP audiosplit_dead_letters Messages that a consumer group has given up, awaiting an operator.',
      ...queues.map(
        ({ group, topic, letters }) =>
          `audiosplit_dead_letters{group="${group}",topic="${topic}"} ${letters}`,
      ),
      '# EOF\n',
    ].join('\n'),
  );
}
