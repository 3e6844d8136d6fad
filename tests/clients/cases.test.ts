/**
 * The TypeScript client and the program; `npm run verify -- packages` executes the same journeys with the
 * Python client.
 */
import { describeClient } from './describe-client.ts';
import { programClient } from './program-client.ts';
import { typescriptClient } from './typescript-client.ts';

await describeClient('the TypeScript client', typescriptClient, {
  keep: ({ writesFiles }) => writesFiles !== true,
});
await describeClient('the program', programClient);
