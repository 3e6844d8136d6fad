import {
  createConnection,
  deleteConnection,
  listConnections,
  testConnection,
} from '../routes/connections.ts';
import { ConnectionParams, CreateConnectionBody } from '../schemas/connections.ts';
import { input, procedure, procedureWhileSuspended, router } from './trpc.ts';

/** No response contains a secret. */
export const connectionsRouter = router({
  list: procedure.query(({ ctx }) => listConnections(ctx.routes, ctx.principal)),

  create: procedure
    .input(input(CreateConnectionBody))
    .mutation(({ ctx, input }) => createConnection(ctx.routes, ctx.principal, input)),

  test: procedure
    .input(input(ConnectionParams))
    .mutation(({ ctx, input }) => testConnection(ctx.routes, ctx.principal, input.connectionId)),

  remove: procedureWhileSuspended.input(input(ConnectionParams)).mutation(async ({ ctx, input }) => {
    await deleteConnection(ctx.routes, ctx.principal, input.connectionId);
    return null;
  }),
});
