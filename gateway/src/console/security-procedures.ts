import { Type } from 'typebox';
import { withoutPort } from '../http/server/client-address.ts';
import { fromProtoSecurity, fromProtoSessions, sessionIdOf } from '../mapping/security.ts';
import { CLOSED } from '../schemas/fields.ts';
import {
  BeginSecondFactorBody,
  ChangeEmailBody,
  ChangePasswordBody,
  ChangeSecondFactorBody,
  ConfirmSecondFactorBody,
  SessionParams,
} from '../schemas/security.ts';
// A suspended account may still change how it signs in.
import { input, procedureWhileSuspended as procedure, router } from './trpc.ts';

const SessionInput = Type.Object({ sessionId: SessionParams.properties.sessionId }, CLOSED);

/** How the account signs in. */
export const securityRouter = router({
  get: procedure.query(async ({ ctx }) =>
    fromProtoSecurity(await ctx.services.auth.getSecurity({}, ctx.asCaller)),
  ),

  changePassword: procedure.input(input(ChangePasswordBody)).mutation(async ({ ctx, input }) => {
    const { principal, request } = ctx;
    const change = { ...input, sessionId: sessionIdOf(principal), clientIp: withoutPort(request.ip) };
    await ctx.services.auth.changePassword(change, ctx.asCaller);
    ctx.routes.credentials.forget(principal.accountId);
    return null;
  }),

  changeEmail: procedure.input(input(ChangeEmailBody)).mutation(async ({ ctx, input }) => {
    const change = { ...input, clientIp: withoutPort(ctx.request.ip) };
    await ctx.services.auth.changeEmail(change, ctx.asCaller);
    return null;
  }),

  requestVerification: procedure.mutation(async ({ ctx }) => {
    await ctx.services.auth.requestVerification({}, ctx.asCaller);
    return null;
  }),

  beginSecondFactor: procedure.input(input(BeginSecondFactorBody)).mutation(async ({ ctx, input }) => {
    const confirmation = { ...input, clientIp: withoutPort(ctx.request.ip) };
    const { secret, uri } = await ctx.services.auth.beginSecondFactor(confirmation, ctx.asCaller);
    return { secret, uri };
  }),

  confirmSecondFactor: procedure.input(input(ConfirmSecondFactorBody)).mutation(async ({ ctx, input }) => {
    const { recoveryCodes } = await ctx.services.auth.confirmSecondFactor(input, ctx.asCaller);
    return { recoveryCodes };
  }),

  renewRecoveryCodes: procedure.input(input(ChangeSecondFactorBody)).mutation(async ({ ctx, input }) => {
    const confirmation = { ...input, clientIp: withoutPort(ctx.request.ip) };
    const { recoveryCodes } = await ctx.services.auth.renewRecoveryCodes(confirmation, ctx.asCaller);
    return { recoveryCodes };
  }),

  removeSecondFactor: procedure.input(input(ChangeSecondFactorBody)).mutation(async ({ ctx, input }) => {
    const confirmation = { ...input, clientIp: withoutPort(ctx.request.ip) };
    await ctx.services.auth.removeSecondFactor(confirmation, ctx.asCaller);
    return null;
  }),

  sessions: procedure.query(async ({ ctx }) =>
    fromProtoSessions(await ctx.services.auth.listSessions({}, ctx.asCaller), ctx.principal),
  ),

  endSession: procedure.input(input(SessionInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.auth.endSession(input, ctx.asCaller);
    ctx.routes.credentials.forget(ctx.principal.accountId);
    return null;
  }),

  endOtherSessions: procedure.mutation(async ({ ctx }) => {
    const sessionId = sessionIdOf(ctx.principal);
    await ctx.services.auth.endOtherSessions({ sessionId }, ctx.asCaller);
    ctx.routes.credentials.forget(ctx.principal.accountId);
    return null;
  }),
});
