import { accountsRouter } from './account-procedures.ts';
import { actsRouter } from './act-procedures.ts';
import { busRouter } from './bus-procedures.ts';
import { jobsRouter } from './job-procedures.ts';
import { mailsRouter } from './mail-procedures.ts';
import { sessionRouter } from './session-procedures.ts';
import { router } from './trpc.ts';

export const operatorsRouter = router({
  session: sessionRouter,
  jobs: jobsRouter,
  bus: busRouter,
  accounts: accountsRouter,
  acts: actsRouter,
  mails: mailsRouter,
});
export type OperatorsRouter = typeof operatorsRouter;
