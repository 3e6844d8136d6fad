// `npm run split`: the command of clients/cli, with a system for this one call where no server is named.

import { SystemError } from 'audiosplit/failures';
import { runSplitCommand } from 'audiosplit/split/split-command';

process.exit(await runSplitCommand({ args: process.argv.slice(2), env: process.env, startSystem }));

// Its imports are loaded here, as they are the whole product: wrong arguments or another server need none of it.
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
