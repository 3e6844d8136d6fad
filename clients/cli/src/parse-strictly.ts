import { type ParseArgsConfig, parseArgs } from 'node:util';
import { messageOf } from './message-of.ts';
import { UsageError } from './usage.ts';

/** `parseArgs`, with its complaint in one line. Throws UsageError. */
export function parseStrictly<const T extends ParseArgsConfig>(config: T) {
  try {
    return parseArgs(config);
  } catch (error) {
    // Node's explanation has several sentences and lines; the first one names the mistake.
    const [mistake] = messageOf(error).split(/\.(?:\s|$)|\n/);
    throw new UsageError(`${mistake}; --help shows the options`);
  }
}
