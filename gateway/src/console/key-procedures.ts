import { Type } from 'typebox';
import { fromProtoApiKey, fromProtoCreatedApiKey } from '../mapping/api-keys.ts';
import { toExpiryTime, toKeyChange } from '../routes/api-keys.ts';
import { ApiKeyParams, CreateApiKeyBody, RotateApiKeyBody, UpdateApiKeyBody } from '../schemas/api-keys.ts';
import { CLOSED } from '../schemas/fields.ts';
import { PageQuery, pageOf, toPagination } from '../schemas/pagination.ts';
import { input, procedure, procedureWhileSuspended, router } from './trpc.ts';

const { keyId } = ApiKeyParams.properties;
const KeyInput = Type.Object({ keyId }, CLOSED);
const UpdateInput = Type.Object({ keyId, ...UpdateApiKeyBody.properties }, CLOSED);
const RotateInput = Type.Object({ keyId, ...RotateApiKeyBody.properties }, CLOSED);

export const keysRouter = router({
  list: procedure.input(input(PageQuery)).query(async ({ ctx, input }) => {
    const page = pageOf(input);
    const { apiKeys, total } = await ctx.services.auth.listApiKeys(page, ctx.asCaller);
    return { data: apiKeys.map(fromProtoApiKey), pagination: toPagination(page, total) };
  }),

  create: procedure.input(input(CreateApiKeyBody)).mutation(async ({ ctx, input }) => {
    const { name, scopes = [], expiresAt } = input;
    const expiry = expiresAt ? { expiresAt: toExpiryTime(expiresAt) } : {};
    return fromProtoCreatedApiKey(
      await ctx.services.auth.createApiKey({ name, scopes, ...expiry }, ctx.asCaller),
    );
  }),

  update: procedure.input(input(UpdateInput)).mutation(async ({ ctx, input }) => {
    const { keyId, ...change } = input;
    const { apiKey } = await ctx.services.auth.updateApiKey(toKeyChange(keyId, change), ctx.asCaller);
    return fromProtoApiKey(apiKey);
  }),

  rotate: procedure.input(input(RotateInput)).mutation(async ({ ctx, input }) => {
    const { keyId, graceSeconds = 0 } = input;
    return fromProtoCreatedApiKey(
      await ctx.services.auth.rotateApiKey({ keyId, graceSeconds }, ctx.asCaller),
    );
  }),

  revoke: procedureWhileSuspended.input(input(KeyInput)).mutation(async ({ ctx, input }) => {
    await ctx.services.auth.revokeApiKey(input, ctx.asCaller);
    return null;
  }),
});
