/** The second factor of an account: codes of an authenticator app (RFC 6238), and recovery codes. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ACCOUNT, principalOf } from '../http/server/access.ts';
import { withoutPort } from '../http/server/client-address.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { ref } from '../schemas/ref.ts';
import {
  BeginSecondFactorBody,
  ChangeSecondFactorBody,
  ConfirmSecondFactorBody,
  RecoveryCodes,
  SecondFactorSecret,
} from '../schemas/security.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['Account'];

export function secondFactorRoutes({ services }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { auth, actingFor } = services;
  return async (app) => {
    app.post(
      '/account/second-factor',
      endpoint({
        access: ACCOUNT,
        errors: ['SECOND_FACTOR_ON', 'NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'beginSecondFactor',
          tags,
          summary: 'Begin a second factor',
          description:
            'Returns a secret for an authenticator app: RFC 6238 with SHA-1, six digits, 30 seconds. It takes effect once a code of it ' +
            'is confirmed; calling this again replaces it.',
          body: BeginSecondFactorBody,
          response: { 201: ref(SecondFactorSecret) },
        },
      }),
      async (request, reply) => {
        const confirmation = { ...request.body, clientIp: withoutPort(request.ip) };
        const { secret, uri } = await auth.beginSecondFactor(confirmation, actingFor(principalOf(request)));
        return reply.code(201).send({ secret, uri });
      },
    );

    app.post(
      '/account/second-factor/confirm',
      endpoint({
        access: ACCOUNT,
        errors: ['SECOND_FACTOR_ON', 'NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'confirmSecondFactor',
          tags,
          summary: 'Turn the second factor on',
          description:
            'From then on signing in takes a `code`. The recovery codes are given here alone. A code of a clock that is some ' +
            'minutes off is refused, and the message says by how much.',
          body: ConfirmSecondFactorBody,
          response: { 200: ref(RecoveryCodes) },
        },
      }),
      async (request) => {
        const { recoveryCodes } = await auth.confirmSecondFactor(
          request.body,
          actingFor(principalOf(request)),
        );
        return { recoveryCodes };
      },
    );

    app.post(
      '/account/second-factor/recovery-codes',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'renewRecoveryCodes',
          tags,
          summary: 'Replace the recovery codes',
          description: 'All earlier ones end.',
          body: ChangeSecondFactorBody,
          response: { 200: ref(RecoveryCodes) },
        },
      }),
      async (request) => {
        const confirmation = { ...request.body, clientIp: withoutPort(request.ip) };
        const { recoveryCodes } = await auth.renewRecoveryCodes(
          confirmation,
          actingFor(principalOf(request)),
        );
        return { recoveryCodes };
      },
    );

    app.delete(
      '/account/second-factor',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'removeSecondFactor',
          tags,
          summary: 'Turn the second factor off',
          body: ChangeSecondFactorBody,
          response: { 204: Type.Null({ description: 'Signing in then needs the password only.' }) },
        },
      }),
      async (request, reply) => {
        const confirmation = { ...request.body, clientIp: withoutPort(request.ip) };
        await auth.removeSecondFactor(confirmation, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );
  };
}
