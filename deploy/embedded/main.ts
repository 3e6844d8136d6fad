/** `npm start` */
import { SPLIT_WITHOUT_SERVER } from './first-steps.ts';
import { runEmbedded } from './run.ts';

await runEmbedded({
  env: process.env,
  withOperators: true,
  lastSteps: `${SPLIT_WITHOUT_SERVER}\nStop with Ctrl-C.`,
});
