import { accountRouter } from './account-procedures.ts';
import { jobsRouter } from './job-procedures.ts';
import { keysRouter } from './key-procedures.ts';
import { sessionRouter } from './session-procedures.ts';
import { router } from './trpc.ts';

export const consoleRouter = router({
  session: sessionRouter,
  account: accountRouter,
  jobs: jobsRouter,
  keys: keysRouter,
});
export type ConsoleRouter = typeof consoleRouter;
