// `npm run split`: the command of clients/cli. If no server is given, it starts a system for this one call.

import { SystemError } from 'audiosplit/failures';
import { runSplitCommand } from 'audiosplit/split/split-command';

process.exit(await runSplitCommand({ args: process.argv.slice(2), env: process.env, startSystem }));

// The imports are loaded here because they contain the whole product; wrong arguments, or another server,
// need none of it.
async function startSystem(fatal: (error: Error) => void) {
  const [{ startTemporarySystem }, { ConfigError }, { StartError }] = await Promise.all([
    import('./temporary-system.ts'),
    import('@audiosplit/chassis/process/env'),
    import('@audiosplit/chassis/process/lifecycle'),
  ]);
  return startTemporarySystem(process.env, fatal).catch((error: unknown) => {
    const isExplained = error instanceof ConfigError || error instanceof StartError;
    throw isExplained ? new SystemError(error.message, { cause: error }) : error;
  });
}
