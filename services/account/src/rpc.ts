/** AccountService: checks the caller, calls the use case, maps the result. */
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import { AccountService } from '@audiosplit/proto/account/v1/account';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import { type DeletionDependencies, requestDeletion, restoreAccount } from './deletion/request-deletion.ts';
import { createExport } from './export/create-export.ts';
import { asOf, type ExportFormat } from './export/export.ts';
import { toProtoAccount, toProtoExport, toProtoPreset } from './proto-mapping.ts';
import { savePreset } from './save-preset.ts';
import { findDeletion } from './store/deletions.ts';
import { findExport, listExports } from './store/exports.ts';
import { deletePreset, listPresets } from './store/presets.ts';

interface AccountRpcOptions extends DeletionDependencies {
  /** Encrypts stored responses of idempotent calls. */
  readonly responseSecret: string;
}

const MAX_PAGE_SIZE = 100;
/** Bounds the offset of a page. */
const MAX_PAGE = 1_000_000;

export function createAccountRoutes({ responseSecret, ...dependencies }: AccountRpcOptions): Routes {
  const { pool, clock, findHolder } = dependencies;
  const readAccount = async (accountId: string) => {
    const [account, deletion] = await Promise.all([findHolder(accountId), findDeletion(pool, accountId)]);
    if (account === undefined) throw new NotFoundError('The account');
    return { account: toProtoAccount(account, deletion) };
  };
  const implementation: ServiceImpl<typeof AccountService> = {
    getAccount: (_, context) => readAccount(requireAccount(context).accountId),

    async deleteAccount({ confirmation }, context) {
      const { completeBy } = await requestDeletion(
        dependencies,
        requireAccount(context).accountId,
        confirmation,
      );
      return { deletionScheduledAt: timestampFromDate(completeBy) };
    },

    async restoreAccount(_, context) {
      const accountId = requireAccount(context).accountId;
      const account = await restoreAccount(dependencies, accountId);
      return { account: toProtoAccount(account, undefined) };
    },

    async createExport({ format, webhookUrl }, context) {
      const request = {
        accountId: requireAccount(context).accountId,
        format: parseFormat(format),
        webhookUrl,
      };
      return { export: toProtoExport(await createExport(dependencies, request)) };
    },

    async listExports({ page, limit }, context) {
      if (page < 1 || page > MAX_PAGE) throw new InvalidParamsError('page', `must be from 1 to ${MAX_PAGE}`);
      if (limit < 1 || limit > MAX_PAGE_SIZE)
        throw new InvalidParamsError('limit', `must be from 1 to ${MAX_PAGE_SIZE}`);
      const { exports, total } = await listExports(pool, requireAccount(context).accountId, page, limit);
      const now = clock();
      return { exports: exports.map((each) => toProtoExport(asOf(each, now))), total: BigInt(total) };
    },

    async putPreset({ name, requestJson }, context) {
      const { accountId } = requireAccount(context);
      const preset = await savePreset(dependencies, accountId, { name, request: requestJson });
      return { preset: toProtoPreset(preset) };
    },

    async listPresets(_, context) {
      const presets = await listPresets(pool, requireAccount(context).accountId);
      return { presets: presets.map(toProtoPreset) };
    },

    async deletePreset({ presetId }, context) {
      const isDeleted = await deletePreset(pool, requireAccount(context).accountId, presetId);
      if (!isDeleted) throw new NotFoundError(`Preset ${presetId}`);
      return {};
    },

    async getExport({ exportId }, context) {
      const found = await findExport(pool, requireAccount(context).accountId, exportId);
      if (found === undefined) throw new NotFoundError(`Export ${exportId}`);
      return { export: toProtoExport(asOf(found, clock())) };
    },
  };
  const once = { pool, clock, secret: responseSecret };
  return (router) => router.service(AccountService, withIdempotency(AccountService, implementation, once));
}

function parseFormat(format: string): ExportFormat {
  if (format === 'json' || format === 'csv') return format;
  throw new InvalidParamsError('format', 'must be json or csv.');
}
