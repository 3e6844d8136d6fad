/** A reporter for node's test runner: prints only the failed tests, with location and reason. */
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

export default async function* reportFailures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    if (event.type !== 'test:fail') continue;
    const { name, file, line, details } = event.data;
    const { error } = details;
    yield `✖ ${name} (${file}:${line})\n${inspect(error.cause ?? error)}\n\n`;
  }
}
