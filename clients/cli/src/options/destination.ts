import type { SplitRequest } from '@audiosplit/client';
import { UsageError } from '../usage.ts';

/** `archive` or `archive/segments`: a connection, and a folder in it. Throws UsageError. */
export function readDestination(
  given: string | undefined,
  hasNoCopy: boolean,
): Pick<SplitRequest, 'destination' | 'keepCopy'> {
  if (given === undefined) {
    if (hasNoCopy) throw new UsageError('--no-copy goes with --destination, where the segments are then');
    return {};
  }
  const [, connection, prefix = ''] = /^([\w-]{1,64})(?:\/(.*))?$/.exec(given) ?? [];
  if (connection === undefined)
    throw new UsageError(`--destination ${given}: give the name of a connection, or its name/folder`);
  return {
    destination: { connection, ...(prefix === '' ? {} : { prefix }) },
    ...(hasNoCopy ? { keepCopy: false } : {}),
  };
}
