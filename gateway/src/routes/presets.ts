import { BUILT_IN_PRESETS } from '@audiosplit/cuts/built-in-presets';
import type { Preset as ProtoPreset } from '@audiosplit/proto/account/v1/account';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Principal } from '../credentials/principal.ts';
import { invalidParams } from '../http/input/validation.ts';
import { type Access, principalOf } from '../http/server/access.ts';
import { endpoint } from '../http/server/endpoint.ts';
import { present, toIsoTime } from '../mapping/messages.ts';
import { MAX_PRESET_BYTES, Preset, PresetList, PresetParams, PutPresetBody } from '../schemas/presets.ts';
import { ref } from '../schemas/ref.ts';
import { checkCut } from '../schemas/split-modes.ts';
import type { RouteDependencies } from './route-dependencies.ts';

const tags = ['Presets'];
const READER: Access = { kind: 'apiKey', scope: 'splits:read' };
const WRITER: Access = { kind: 'apiKey', scope: 'splits:write' };

type Dependencies = Pick<RouteDependencies, 'services'>;

export function presetRoutes(dependencies: RouteDependencies): FastifyPluginAsyncTypebox {
  const { account, actingFor } = dependencies.services;
  return async (app) => {
    app.get(
      '/presets',
      endpoint({
        access: READER,
        schema: {
          operationId: 'listPresets',
          tags,
          summary: 'List presets',
          description:
            'Named settings of a split: those of the account, and those available to every account.',
          response: { 200: ref(PresetList) },
        },
      }),
      (request) => listPresets(dependencies, principalOf(request)),
    );

    app.post(
      '/presets',
      endpoint({
        access: WRITER,
        errors: ['PRESET_LIMIT_REACHED'],
        schema: {
          operationId: 'savePreset',
          tags,
          summary: 'Save a preset',
          description: 'A preset with the same name gets the new settings and keeps its id.',
          body: PutPresetBody,
          response: { 201: ref(Preset) },
        },
      }),
      async (request, reply) =>
        reply.code(201).send(await savePreset(dependencies, principalOf(request), request.body)),
    );

    app.delete(
      '/presets/:presetId',
      endpoint({
        access: WRITER,
        errors: ['NOT_FOUND'],
        schema: {
          operationId: 'deletePreset',
          tags,
          summary: 'Delete a preset',
          params: PresetParams,
          response: { 204: Type.Null({ description: 'Deleted.' }) },
        },
      }),
      async (request, reply) => {
        await account.deletePreset(request.params, actingFor(principalOf(request)));
        return reply.code(204).send(null);
      },
    );
  };
}

export async function listPresets(
  { services: { account, actingFor } }: Dependencies,
  principal: Principal,
): Promise<PresetList> {
  const { presets } = await account.listPresets({}, actingFor(principal));
  return { data: presets.map(fromProtoPreset), builtIn: [...BUILT_IN_PRESETS] as PresetList['builtIn'] };
}

/**
 * Throws 400 INVALID_PARAMS for settings with which no job could be created, and 409 PRESET_LIMIT_REACHED.
 */
export async function savePreset(
  { services: { account, actingFor } }: Dependencies,
  principal: Principal,
  { name, request }: PutPresetBody,
): Promise<Preset> {
  const requestJson = JSON.stringify(request);
  const violations = checkCut(request, request.outputFormat).map(({ field, message }) => ({
    field: `request.${field}`,
    message,
  }));
  if (Buffer.byteLength(requestJson) > MAX_PRESET_BYTES)
    violations.push({ field: 'request', message: `must not exceed ${MAX_PRESET_BYTES} bytes as JSON` });
  if (violations.length > 0) throw invalidParams(violations);
  const { preset } = await account.putPreset({ name, requestJson }, actingFor(principal));
  return fromProtoPreset(present(preset, 'a preset'));
}

function fromProtoPreset({ id, name, requestJson, createdAt, updatedAt }: ProtoPreset): Preset {
  return {
    id,
    name,
    request: JSON.parse(requestJson),
    createdAt: toIsoTime(createdAt),
    updatedAt: toIsoTime(updatedAt),
  };
}
