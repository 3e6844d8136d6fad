/**
 * How an account signs in: its password, its address, its sessions. Disabled if an external issuer signs
 * users in.
 */

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ACCOUNT, ANYONE, principalOf } from '../http/server/access.ts';
import { withoutPort } from '../http/server/client-address.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoSecurity, fromProtoSessions, sessionIdOf } from '../mapping/security.ts';
import { ref } from '../schemas/ref.ts';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ForgotPasswordBody,
  ResetPasswordBody,
  Security,
  SessionList,
  SessionParams,
  VerifyEmailBody,
} from '../schemas/security.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { secondFactorRoutes } from './second-factor.ts';
import { signInElsewhere } from './sessions.ts';

const done = (description: string) => ({ 204: Type.Null({ description }) });

export function securityRoutes(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    refuseElsewhere(app, dependencies);
    await app.register(recoveryRoutes(dependencies));
    await app.register(credentialRoutes(dependencies));
    await app.register(secondFactorRoutes(dependencies));
    await app.register(sessionListRoutes(dependencies));
  };
}

function refuseElsewhere(app: FastifyInstance, { credentials }: RouteDependencies): void {
  const { externalIssuer } = credentials;
  if (externalIssuer === undefined) return;
  app.addHook('onRequest', async () => {
    throw signInElsewhere(externalIssuer);
  });
}

/** By a link from a mail, without signing in. */
function recoveryRoutes({ services, credentials }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { auth } = services;
  const tags = ['Sign-in'];
  return async (app) => {
    app.post(
      '/auth/password/forgot',
      endpoint({
        access: ANYONE,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'forgotPassword',
          tags,
          summary: 'Request a link to reset the password',
          description:
            'Mails a link to the address if it has an account, at most once in five minutes. The response is the same for any address.',
          body: ForgotPasswordBody,
          response: done('Mailed, if there is such an account.'),
        },
      }),
      async ({ body }, reply) => {
        await auth.requestPasswordReset(body);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/auth/password/reset',
      endpoint({
        access: ANYONE,
        errors: ['UNAUTHORIZED', 'NOT_FOUND'],
        schema: {
          operationId: 'resetPassword',
          tags,
          summary: 'Reset the password with a mailed link',
          description:
            'All sessions end, with their access tokens; API keys still work. The link proves that the address is the ' +
            "holder's, so it counts as verified.",
          body: ResetPasswordBody,
          response: done('The password is changed.'),
        },
      }),
      async ({ body, ip }, reply) => {
        const { accountId } = await auth.resetPassword({ ...body, clientIp: withoutPort(ip) });
        credentials.forget(accountId);
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/auth/verify',
      endpoint({
        access: ANYONE,
        errors: ['UNAUTHORIZED', 'EMAIL_TAKEN', 'NOT_FOUND'],
        schema: {
          operationId: 'verifyEmail',
          tags,
          summary: 'Verify an address with a mailed link',
          description: 'A new address then replaces the old one.',
          body: VerifyEmailBody,
          response: done('The address is verified.'),
        },
      }),
      async ({ body }, reply) => {
        const { accountId } = await auth.verifyEmail(body);
        credentials.forget(accountId);
        return reply.code(204).send(null);
      },
    );
  };
}

function credentialRoutes({ services, credentials }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { auth, actingFor } = services;
  const tags = ['Account'];
  return async (app) => {
    app.get(
      '/account/security',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'getSecurity',
          tags,
          summary: 'Read how the account signs in',
          response: { 200: ref(Security) },
        },
      }),
      async (request) => fromProtoSecurity(await auth.getSecurity({}, actingFor(principalOf(request)))),
    );

    app.put(
      '/account/password',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'changePassword',
          tags,
          summary: 'Change the password',
          description:
            'All other sessions end, with their access tokens; API keys still work. A wrong `current` is a 400, and ' +
            'counts as a wrong password at a sign-in: after too many, even the right one is refused for a while.',
          body: ChangePasswordBody,
          response: done('The password is changed.'),
        },
      }),
      async (request, reply) => {
        const principal = principalOf(request);
        const change = { ...request.body, sessionId: sessionIdOf(principal), clientIp: ipOf(request) };
        await auth.changePassword(change, actingFor(principal));
        credentials.forget(principal.accountId);
        return reply.code(204).send(null);
      },
    );

    app.put(
      '/account/email',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        whileSuspended: true,
        schema: {
          operationId: 'changeEmail',
          tags,
          summary: 'Change the mail address',
          description:
            'Mails a link to the new address and a notice to the present one. The address changes once the link is ' +
            'opened. The response is the same if the new address already has an account.',
          body: ChangeEmailBody,
          response: done('The link is mailed.'),
        },
      }),
      async (request, reply) => {
        const change = { ...request.body, clientIp: ipOf(request) };
        await auth.changeEmail(change, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );

    app.post(
      '/account/email/verification',
      endpoint({
        access: ACCOUNT,
        whileSuspended: true,
        schema: {
          operationId: 'requestVerification',
          tags,
          summary: 'Mail the verification link again',
          description: 'At most once in five minutes. Nothing is mailed if no address needs verification.',
          response: done('Mailed, if an address needs verification.'),
        },
      }),
      async (request, reply) => {
        await auth.requestVerification({}, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );
  };
}

function sessionListRoutes({ services, credentials }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { auth, actingFor } = services;
  const tags = ['Account'];
  return async (app) => {
    app.get(
      '/account/sessions',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'listSessions',
          tags,
          summary: 'List sessions',
          description: 'Where the account is signed in, those used last first; at most 100.',
          response: { 200: ref(SessionList) },
        },
      }),
      async (request) => {
        const principal = principalOf(request);
        return fromProtoSessions(await auth.listSessions({}, actingFor(principal)), principal);
      },
    );

    app.delete(
      '/account/sessions',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'endOtherSessions',
          tags,
          summary: 'End all other sessions',
          description: 'The session of this call continues.',
          response: done('They have ended.'),
        },
      }),
      async (request, reply) => {
        const principal = principalOf(request);
        await auth.endOtherSessions({ sessionId: sessionIdOf(principal) }, actingFor(principal));
        credentials.forget(principal.accountId);
        return reply.code(204).send(null);
      },
    );

    app.delete(
      '/account/sessions/:sessionId',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'endSession',
          tags,
          summary: 'End a session',
          description: 'Its refresh and access tokens end within a second.',
          params: SessionParams,
          response: done('It has ended.'),
        },
      }),
      async (request, reply) => {
        const principal = principalOf(request);
        await auth.endSession(request.params, actingFor(principal));
        credentials.forget(principal.accountId);
        return reply.code(204).send(null);
      },
    );
  };
}

function ipOf({ ip }: FastifyRequest): string {
  return withoutPort(ip);
}
