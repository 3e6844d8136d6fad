import { listPresets, savePreset } from '../routes/presets.ts';
import { PresetParams, PutPresetBody } from '../schemas/presets.ts';
import { input, procedure, procedureWhileSuspended, router } from './trpc.ts';

export const presetsRouter = router({
  list: procedure.query(({ ctx }) => listPresets(ctx.routes, ctx.principal)),

  save: procedure
    .input(input(PutPresetBody))
    .mutation(({ ctx, input }) => savePreset(ctx.routes, ctx.principal, input)),

  remove: procedureWhileSuspended.input(input(PresetParams)).mutation(async ({ ctx, input }) => {
    await ctx.services.account.deletePreset(input, ctx.asCaller);
    return null;
  }),
});
