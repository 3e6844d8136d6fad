import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { clientOf, withoutPort } from '../http/server/client-address.ts';
import { isHttps } from '../http/server/transport-security.ts';
import { fromProtoSession } from '../mapping/sessions.ts';
import { signInElsewhere } from '../routes/sessions.ts';
import { LoginBody, RegisterBody, type Session } from '../schemas/sessions.ts';
import { clearedCookies, REFRESH_COOKIE, readCookie, sessionCookies } from './cookies.ts';
import { type ConsoleContext, input, openProcedure, router } from './trpc.ts';

/** The tokens stay in the cookies. The page gets the account and the time of renewal. */
export type SignedIn = Pick<Session, 'account' | 'expiresIn'>;

const ownSessions = openProcedure.use(({ ctx, next }) => {
  const { externalIssuer } = ctx.routes.credentials;
  if (externalIssuer !== undefined) throw signInElsewhere(externalIssuer);
  return next();
});

export const sessionProcedures = {
  signUp: ownSessions
    .input(input(RegisterBody))
    .mutation(async ({ ctx, input }) =>
      signIn(ctx, fromProtoSession(await ctx.routes.services.auth.register(input))),
    ),

  signIn: ownSessions.input(input(LoginBody)).mutation(async ({ ctx, input }) => {
    const clientIp = withoutPort(ctx.request.ip);
    return signIn(ctx, fromProtoSession(await ctx.routes.services.auth.login({ ...input, clientIp })));
  }),

  renew: ownSessions.mutation(async ({ ctx }) => {
    const refreshToken = readCookie(ctx.request.headers.cookie, REFRESH_COOKIE);
    if (refreshToken === undefined) throw new ServiceError(Reason.UNAUTHORIZED, 'Sign in first.');
    return signIn(ctx, await ctx.renewSession(refreshToken, clientOf(ctx.request)));
  }),

  signOut: ownSessions.mutation(async ({ ctx }) => {
    const refreshToken = readCookie(ctx.request.headers.cookie, REFRESH_COOKIE);
    if (refreshToken !== undefined) await ctx.routes.services.auth.logout({ refreshToken });
    ctx.reply.header('set-cookie', clearedCookies(isHttps(ctx.routes.links.publicBaseUrl())));
    return null;
  }),
};

export const sessionRouter = router(sessionProcedures);

function signIn(ctx: ConsoleContext, session: Session): SignedIn {
  ctx.reply.header('set-cookie', sessionCookies(session, isHttps(ctx.routes.links.publicBaseUrl())));
  return { account: session.account, expiresIn: session.expiresIn };
}
