import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { ApiError } from '../http/errors/api-error.ts';
import { ANYONE } from '../http/server/access.ts';
import { clientOf } from '../http/server/client-address.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoSession } from '../mapping/sessions.ts';
import { ref } from '../schemas/ref.ts';
import { LoginBody, LoginByLinkBody, RefreshTokenBody, RegisterBody, Session } from '../schemas/sessions.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['Sign-in'];

export function sessionRoutes({ services, credentials }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { externalIssuer } = credentials;
  return async (app) => {
    if (externalIssuer !== undefined) {
      app.addHook('onRequest', async () => {
        throw signInElsewhere(externalIssuer);
      });
    }
    app.post(
      '/auth/register',
      endpoint({
        access: ANYONE,
        errors: ['EMAIL_TAKEN', 'NOT_FOUND'],
        schema: {
          operationId: 'register',
          tags,
          summary: 'Open an account',
          description:
            'Creates an account on the Free plan and signs it in. The number of accounts that a caller may create in an hour is limited.',
          body: RegisterBody,
          response: { 201: ref(Session) },
        },
      }),
      async (request, reply) => {
        const registration = { ...request.body, ...clientOf(request) };
        return reply.code(201).send(fromProtoSession(await services.auth.register(registration)));
      },
    );

    app.post(
      '/auth/login',
      endpoint({
        access: ANYONE,
        errors: ['UNAUTHORIZED', 'SIGN_IN_LINK_SENT', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
        schema: {
          operationId: 'login',
          tags,
          summary: 'Sign in',
          description:
            'Returns a pair of tokens for an address and its password. After too many wrong passwords by a caller for an address ' +
            'this caller must wait. After far more by other callers, the password alone is accepted only where the account has signed in ' +
            'from here in 90 days; elsewhere a link is mailed. With a second factor a `code` is needed as well.',
          body: LoginBody,
          response: { 200: ref(Session) },
        },
      }),
      async (request) =>
        fromProtoSession(await services.auth.login({ ...request.body, ...clientOf(request) })),
    );

    app.post(
      '/auth/login/link',
      endpoint({
        access: ANYONE,
        errors: ['UNAUTHORIZED', 'SECOND_FACTOR_REQUIRED', 'NOT_FOUND'],
        schema: {
          operationId: 'loginByLink',
          tags,
          summary: 'Sign in with a mailed link',
          description: 'The token works once, for 30 minutes.',
          body: LoginByLinkBody,
          response: { 200: ref(Session) },
        },
      }),
      async (request) =>
        fromProtoSession(await services.auth.loginByLink({ ...request.body, ...clientOf(request) })),
    );

    app.post(
      '/auth/refresh',
      endpoint({
        access: ANYONE,
        errors: ['UNAUTHORIZED', 'NOT_FOUND'],
        schema: {
          operationId: 'refreshSession',
          tags,
          summary: 'Renew the tokens',
          description:
            'A refresh token works once. Using it a second time ends its session, unless the same client ' +
            'does so within 10 seconds: of concurrent requests one succeeds, and the new token stays valid.',
          body: RefreshTokenBody,
          response: { 200: ref(Session) },
        },
      }),
      async (request) =>
        fromProtoSession(await services.auth.refreshSession({ ...request.body, ...clientOf(request) })),
    );

    app.post(
      '/auth/logout',
      endpoint({
        access: ANYONE,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'logout',
          tags,
          summary: 'Sign out',
          description: 'Ends the session: the refresh token with all its successors, and its access tokens.',
          body: RefreshTokenBody,
          response: { 204: Type.Null({ description: 'Signed out.' }) },
        },
      }),
      async ({ body }, reply) => {
        await services.auth.logout(body);
        return reply.code(204).send(null);
      },
    );
  };
}

export function signInElsewhere(issuer: string): ApiError {
  return new ApiError(
    'NOT_FOUND',
    `Accounts of this installation sign in at ${issuer}; send the access token that it issues.`,
  );
}
