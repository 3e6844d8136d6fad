import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { Type } from 'typebox';
import { input } from '../console/trpc.ts';
import { ApiError } from '../http/errors/api-error.ts';
import { addressBucket } from '../http/server/client-address.ts';
import { CLOSED } from '../schemas/fields.ts';
import { openProcedure, procedure, router } from './trpc.ts';

const SIGN_INS_PER_MINUTE_PER_ADDRESS = 10;

const Credentials = Type.Object(
  { operator: Type.String({ maxLength: 64 }), secret: Type.String({ maxLength: 1_000 }) },
  CLOSED,
);

export const sessionRouter = router({
  /** The signed-in operator and the links of the page. */
  get: procedure.query(({ ctx }) => ({
    operator: ctx.session.operator,
    links: ctx.links,
    hasMails: ctx.mailDir !== undefined,
  })),

  signIn: openProcedure.input(input(Credentials)).mutation(async ({ ctx, input }) => {
    const { sessions, audit, signIns, request, reply } = ctx;
    const { allowed, limit, retryAfterSeconds } = await signIns.take(
      addressBucket(request.ip),
      SIGN_INS_PER_MINUTE_PER_ADDRESS,
    );
    if (!allowed) {
      const message = `More than ${limit} sign-ins within a minute.`;
      throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds });
    }
    const isIn = sessions.isSecretOf(input.operator, input.secret);
    const outcome = isIn ? 'done' : 'UNAUTHORIZED';
    audit({ operator: input.operator, action: 'session.signIn', outcome });
    if (!isIn) throw new ServiceError(Reason.UNAUTHORIZED, 'The name or the secret is wrong.');
    reply.header('set-cookie', sessions.begin(input.operator, ctx.isHttps));
    return null;
  }),

  signOut: procedure.mutation(({ ctx }) => {
    ctx.reply.header('set-cookie', ctx.sessions.end(ctx.isHttps));
    return null;
  }),
});
