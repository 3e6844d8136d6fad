import { accountRouter } from './account-procedures.ts';
import { batchesRouter } from './batch-procedures.ts';
import { billingRouter } from './billing-procedures.ts';
import { connectionsRouter } from './connection-procedures.ts';
import { jobsRouter } from './job-procedures.ts';
import { keysRouter } from './key-procedures.ts';
import { presetsRouter } from './preset-procedures.ts';
import { securityRouter } from './security-procedures.ts';
import { sessionRouter } from './session-procedures.ts';
import { router } from './trpc.ts';
import { webhooksRouter } from './webhook-procedures.ts';

export const consoleRouter = router({
  session: sessionRouter,
  account: accountRouter,
  batches: batchesRouter,
  billing: billingRouter,
  connections: connectionsRouter,
  jobs: jobsRouter,
  keys: keysRouter,
  presets: presetsRouter,
  security: securityRouter,
  webhooks: webhooksRouter,
});
export type ConsoleRouter = typeof consoleRouter;
