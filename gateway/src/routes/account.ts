import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Static } from 'typebox';
import type { Principal } from '../credentials/principal.ts';
import { invalidParams } from '../http/input/validation.ts';
import { ACCOUNT, type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { fromProtoAccount, fromProtoExport, toStartedExport } from '../mapping/account.ts';
import { toIsoTime } from '../mapping/messages.ts';
import {
  Account,
  CreateExportBody,
  DeleteAccountBody,
  DeletionScheduled,
  Export,
  ExportList,
  ExportParams,
  StartedExport,
} from '../schemas/account.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { ref } from '../schemas/ref.ts';
import type { Services } from '../services.ts';
import type { RouteDependencies } from './route-dependencies.ts';
import { checkUrl } from './split-request.ts';

const tags = ['Account'];
/** Reading, deleting again and restoring remain possible until the account is purged. */
const ALSO_WHILE_PENDING: Access = { kind: 'account', whilePendingDeletion: true };

export function accountRoutes({ services, downloads }: RouteDependencies): FastifyPluginAsyncTypebox {
  const { account, actingFor } = services;
  return async (app) => {
    app.get(
      '/account',
      endpoint({
        access: ALSO_WHILE_PENDING,
        schema: {
          operationId: 'getAccount',
          tags,
          summary: 'Read the account',
          response: { 200: ref(Account) },
        },
      }),
      async (request) => {
        const principal = principalOf(request);
        return fromProtoAccount(await account.getAccount({}, actingFor(principal)), principal);
      },
    );

    app.delete(
      '/account',
      endpoint({
        access: ALSO_WHILE_PENDING,
        changesLimits: true,
        errors: ['ACTIVE_SUBSCRIPTION'],
        schema: {
          operationId: 'deleteAccount',
          tags,
          summary: 'Delete the account',
          description:
            'API keys stop working at once. The account can be restored for 14 days; ' +
            'all its data is removed by the time in the response.',
          body: DeleteAccountBody,
          response: { 200: ref(DeletionScheduled) },
        },
      }),
      async (request) => {
        const answer = await account.deleteAccount(request.body, actingFor(principalOf(request)));
        const deletionScheduledAt = toIsoTime(answer.deletionScheduledAt);
        return {
          message: `All data of this account is removed by ${deletionScheduledAt}.`,
          deletionScheduledAt,
        };
      },
    );

    app.post(
      '/account/restore',
      endpoint({
        access: ALSO_WHILE_PENDING,
        whileSuspended: true,
        schema: {
          operationId: 'restoreAccount',
          tags,
          summary: 'Cancel the deletion',
          response: { 200: ref(Account) },
        },
      }),
      async (request) => {
        const principal = principalOf(request);
        return fromProtoAccount(await account.restoreAccount({}, actingFor(principal)), principal);
      },
    );

    app.post(
      '/account/export',
      endpoint({
        access: ACCOUNT,
        errors: ['EXPORT_TOO_FREQUENT'],
        whileSuspended: true,
        schema: {
          operationId: 'createExport',
          tags,
          summary: 'Export all data',
          description: 'The file is created in the background; a webhook or a mail reports when it is ready.',
          body: CreateExportBody,
          response: { 202: ref(StartedExport) },
        },
      }),
      async (request, reply) =>
        reply.code(202).send(await startExport(services, principalOf(request), request.body)),
    );

    app.get(
      '/account/exports',
      endpoint({
        access: ACCOUNT,
        schema: {
          operationId: 'listExports',
          tags,
          summary: 'List exports',
          querystring: PageQuery,
          response: { 200: ref(ExportList) },
        },
      }),
      async (request) => {
        const page = pageOf(request.query);
        const { exports, total } = await account.listExports(page, actingFor(principalOf(request)));
        return {
          data: exports.map((each) => fromProtoExport(each, downloads)),
          pagination: toPagination(page, total),
        };
      },
    );

    app.get(
      '/account/exports/:exportId',
      endpoint({
        access: ACCOUNT,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'getExport',
          tags,
          summary: 'Read an export',
          params: ExportParams,
          response: { 200: ref(Export) },
        },
      }),
      async (request) => {
        const found = await account.getExport(request.params, actingFor(principalOf(request)));
        return fromProtoExport(found.export, downloads);
      },
    );
  };
}

/** Starts an export. The response estimates when it will be ready. */
export async function startExport(
  { account, webhooks, actingFor }: Services,
  principal: Principal,
  { format = 'json', webhookUrl }: Static<typeof CreateExportBody>,
): Promise<StartedExport> {
  const violations = webhookUrl === undefined ? [] : checkUrl('webhookUrl', webhookUrl);
  if (violations.length > 0) throw invalidParams(violations);
  const asCaller = actingFor(principal);
  if (webhookUrl !== undefined) await webhooks.checkTarget({ url: webhookUrl }, asCaller);
  const exportRequest = { format, ...(webhookUrl === undefined ? {} : { webhookUrl }) };
  return toStartedExport(await account.createExport(exportRequest, asCaller));
}
