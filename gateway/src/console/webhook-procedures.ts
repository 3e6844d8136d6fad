import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { fromProtoDelivery, fromProtoEndpoint } from '../mapping/webhooks.ts';
import { toEndpointRequest } from '../routes/webhooks.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { DeliveryParams, PutEndpointBody } from '../schemas/webhooks.ts';
import { input, procedure, procedureWhileSuspended, router } from './trpc.ts';

export const webhooksRouter = router({
  secret: procedure.query(async ({ ctx }) => {
    const { secret } = await ctx.services.webhooks.getSecret({}, ctx.asCaller);
    return { secret };
  }),

  rotateSecret: procedure.mutation(async ({ ctx }) => {
    const { secret } = await ctx.services.webhooks.rotateSecret({}, ctx.asCaller);
    return { secret };
  }),

  /** Null without one. */
  endpoint: procedure.query(async ({ ctx }) => {
    try {
      return fromProtoEndpoint((await ctx.services.webhooks.getEndpoint({}, ctx.asCaller)).endpoint);
    } catch (error) {
      if (hasReason(error, Reason.NOT_FOUND)) return null;
      throw error;
    }
  }),

  setEndpoint: procedure.input(input(PutEndpointBody)).mutation(async ({ ctx, input }) => {
    const { endpoint } = await ctx.services.webhooks.putEndpoint(toEndpointRequest(input), ctx.asCaller);
    return fromProtoEndpoint(endpoint);
  }),

  removeEndpoint: procedureWhileSuspended.mutation(async ({ ctx }) => {
    await ctx.services.webhooks.deleteEndpoint({}, ctx.asCaller);
    return null;
  }),

  test: procedure.mutation(async ({ ctx }) => {
    const { delivery } = await ctx.services.webhooks.testEndpoint({}, ctx.asCaller);
    return fromProtoDelivery(delivery);
  }),

  deliveries: procedure.input(input(PageQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const request = { ...page, withBodies: true };
    const { deliveries, total } = await ctx.services.webhooks.listDeliveries(request, ctx.asCaller);
    return {
      // A service of the previous release sends no bodies.
      data: deliveries.map((each) => ({ ...fromProtoDelivery(each), body: each.body ?? null })),
      pagination: toPagination(page, total),
    };
  }),

  replay: procedure.input(input(DeliveryParams)).mutation(async ({ ctx, input }) => {
    const { delivery } = await ctx.services.webhooks.replayDelivery(input, ctx.asCaller);
    return fromProtoDelivery(delivery);
  }),
});
