import { fromProtoDelivery } from '../mapping/webhooks.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { DeliveryParams } from '../schemas/webhooks.ts';
import { input, procedure, router } from './trpc.ts';

export const webhooksRouter = router({
  secret: procedure.query(async ({ ctx }) => {
    const { secret } = await ctx.services.webhooks.getSecret({}, ctx.asCaller);
    return { secret };
  }),

  rotateSecret: procedure.mutation(async ({ ctx }) => {
    const { secret } = await ctx.services.webhooks.rotateSecret({}, ctx.asCaller);
    return { secret };
  }),

  deliveries: procedure.input(input(PageQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const { deliveries, total } = await ctx.services.webhooks.listDeliveries(page, ctx.asCaller);
    return { data: deliveries.map(fromProtoDelivery), pagination: toPagination(page, total) };
  }),

  replay: procedure.input(input(DeliveryParams)).mutation(async ({ ctx, input }) => {
    const { delivery } = await ctx.services.webhooks.replayDelivery(input, ctx.asCaller);
    return fromProtoDelivery(delivery);
  }),
});
