import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { clientOf } from '../http/server/client-address.ts';
import { isHttps } from '../http/server/transport-security.ts';
import { fromProtoSession } from '../mapping/sessions.ts';
import { signInElsewhere } from '../routes/sessions.ts';
import { ForgotPasswordBody, ResetPasswordBody, VerifyEmailBody } from '../schemas/security.ts';
import { LoginBody, LoginByLinkBody, RegisterBody, type Session } from '../schemas/sessions.ts';
import {
  clearedCookies,
  deviceCookie,
  deviceTokenOf,
  REFRESH_COOKIE,
  readCookie,
  sessionCookies,
} from './cookies.ts';
import { type ConsoleContext, input, openProcedure, router } from './trpc.ts';

/** The tokens stay in the cookies. The page gets the account and the time of renewal. */
export type SignedIn = Pick<Session, 'account' | 'expiresIn'>;

const ownSessions = openProcedure.use(({ ctx, next }) => {
  const { externalIssuer } = ctx.routes.credentials;
  if (externalIssuer !== undefined) throw signInElsewhere(externalIssuer);
  return next();
});

export const sessionProcedures = {
  signUp: ownSessions.input(input(RegisterBody)).mutation(async ({ ctx, input }) => {
    const caller = callerOf(ctx);
    return enter(ctx, caller, await ctx.routes.services.auth.register({ ...input, ...caller }));
  }),

  signIn: ownSessions.input(input(LoginBody)).mutation(async ({ ctx, input }) => {
    const caller = callerOf(ctx);
    const refreshToken = readCookie(ctx.request.headers.cookie, REFRESH_COOKIE) ?? '';
    return enter(ctx, caller, await ctx.routes.services.auth.login({ ...input, ...caller, refreshToken }));
  }),

  signInByLink: ownSessions.input(input(LoginByLinkBody)).mutation(async ({ ctx, input }) => {
    const caller = callerOf(ctx);
    return enter(ctx, caller, await ctx.routes.services.auth.loginByLink({ ...input, ...caller }));
  }),

  forgotPassword: ownSessions.input(input(ForgotPasswordBody)).mutation(async ({ ctx, input }) => {
    await ctx.routes.services.auth.requestPasswordReset(input);
    return null;
  }),

  /** This has ended every session of the account, including that of this browser. */
  resetPassword: ownSessions.input(input(ResetPasswordBody)).mutation(async ({ ctx, input }) => {
    const caller = callerOf(ctx);
    const { accountId } = await ctx.routes.services.auth.resetPassword({ ...input, ...caller });
    ctx.routes.credentials.forget(accountId);
    const device = deviceCookie(caller.deviceToken, isSecure(ctx));
    ctx.reply.header('set-cookie', [...clearedCookies(isSecure(ctx)), device]);
    return null;
  }),

  verifyEmail: ownSessions.input(input(VerifyEmailBody)).mutation(async ({ ctx, input }) => {
    const { accountId } = await ctx.routes.services.auth.verifyEmail(input);
    ctx.routes.credentials.forget(accountId);
    return null;
  }),

  renew: ownSessions.mutation(async ({ ctx }) => {
    const refreshToken = readCookie(ctx.request.headers.cookie, REFRESH_COOKIE);
    if (refreshToken === undefined) throw new ServiceError(Reason.UNAUTHORIZED, 'Sign in first.');
    const session = await ctx.renewSession(refreshToken, clientOf(ctx.request));
    return signIn(ctx, session, sessionCookies(session, isSecure(ctx)));
  }),

  signOut: ownSessions.mutation(async ({ ctx }) => {
    const refreshToken = readCookie(ctx.request.headers.cookie, REFRESH_COOKIE);
    if (refreshToken !== undefined) await ctx.routes.services.auth.logout({ refreshToken });
    ctx.reply.header('set-cookie', clearedCookies(isSecure(ctx)));
    return null;
  }),
};

export const sessionRouter = router(sessionProcedures);

interface Caller {
  readonly clientIp: string;
  readonly userAgent: string;
  readonly deviceToken: string;
}

function callerOf({ request }: ConsoleContext): Caller {
  return { ...clientOf(request), deviceToken: deviceTokenOf(request.headers.cookie) };
}

/** Signs in with credentials: from now on the browser is known to the account. */
function enter(ctx: ConsoleContext, { deviceToken }: Caller, answer: Parameters<typeof fromProtoSession>[0]) {
  const session = fromProtoSession(answer);
  const cookies = sessionCookies(session, isSecure(ctx));
  return signIn(ctx, session, [...cookies, deviceCookie(deviceToken, isSecure(ctx))]);
}

function signIn({ reply }: ConsoleContext, { account, expiresIn }: Session, cookies: string[]): SignedIn {
  reply.header('set-cookie', cookies);
  return { account, expiresIn };
}

function isSecure({ routes }: ConsoleContext): boolean {
  return isHttps(routes.links.publicBaseUrl());
}
