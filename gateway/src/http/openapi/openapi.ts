/**
 * The OpenAPI description, generated from the schemas that routes validate and serialise with. What follows from a
 * route's access is added here: credentials, errors, headers.
 */
import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyInstance, FastifySchema, RouteOptions } from 'fastify';
import type { OpenAPIV3_1 } from 'openapi-types';
import { isOpenToSuspended } from '../../credentials/suspension.ts';
import { COMPONENTS } from '../../schemas/components.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../errors/error-codes.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency/idempotency.ts';
import { type Access, ANYONE } from '../server/access.ts';
import { API_PREFIX } from '../server/api-path.ts';
import { type PageFile, sendPageFile, toPageFile } from '../server/page-file.ts';
import { addExamples, addRulesAcrossFields, addTextRule, describeWebhooks } from './openapi-additions.ts';
import { addHeaders } from './openapi-headers.ts';
import { addLinks } from './openapi-links.ts';
import { addSamples } from './openapi-samples.ts';

const TAGS = [
  { name: 'Splits', description: 'Split jobs: create one, follow it, fetch its segments.' },
  { name: 'Files', description: 'Uploads and downloads by signed links.' },
  { name: 'API keys', description: 'Credentials for programs.' },
  { name: 'Sign-in', description: 'Credentials for people.' },
  { name: 'Account', description: 'Profile, data export, deletion.' },
  { name: 'Billing', description: 'Plans, subscription, payment method, invoices, usage.' },
  { name: 'Batches', description: 'Many jobs with the same settings.' },
  { name: 'Presets', description: 'Named settings of splits.' },
  { name: 'Connections', description: 'Buckets of the account.' },
  { name: 'Webhooks', description: 'Notifications about jobs and exports.' },
  { name: 'Health', description: 'For the operation of this service.' },
];

export async function addApiDescription(app: FastifyInstance): Promise<void> {
  for (const schema of COMPONENTS) app.addSchema(schema);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'audiosplit',
        version: '1',
        description:
          'Splits audio files by length or by file size. A job takes the URL of a file, runs in ' +
          'the background, and ends with one link per segment. Jobs are for API keys; keys, account and ' +
          'billing are for signed-in people. Times are ISO 8601 in UTC, sizes bytes, money minor units.',
        contact: { name: 'The operator of this installation' },
        license: { name: 'All rights reserved' },
      },
      servers: [{ url: '/', description: 'The installation that this description comes from.' }],
      tags: TAGS,
      webhooks: describeWebhooks(),
      components: {
        securitySchemes: {
          apiKey: {
            type: 'apiKey',
            in: 'header',
            name: 'X-API-Key',
            description: 'For split jobs and uploads.',
          },
          accessToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'From register, login or refresh.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _baseUri, _fragment, index) => String(schema.$id ?? `schema${index}`),
    },
    transform: ({ schema, url, route }) => describeRoute(schema, url, route),
    transformObject: (described) => {
      if (!('openapiObject' in described)) throw new Error('the description is not OpenAPI');
      const description = described.openapiObject as Partial<OpenAPIV3_1.Document>;
      addHeadOperationIds(description);
      addExamples(description);
      addRulesAcrossFields(description);
      addTextRule(description);
      addHeaders(description);
      addLinks(description);
      addSamples(description);
      return description;
    },
  });
  let file: PageFile | undefined;
  app.get(
    '/openapi.json',
    { config: { bounds: ['pages'] }, schema: { hide: true } },
    async (request, reply) => {
      file ??= toPageFile('openapi.json', Buffer.from(JSON.stringify(app.swagger())));
      return sendPageFile(request, reply, file);
    },
  );
}

/** A route for GET and HEAD is two operations, whose ids must differ (OpenAPI 3.1, section 4.8.10.1). */
function addHeadOperationIds(description: Partial<OpenAPIV3_1.Document>): void {
  for (const item of Object.values(description.paths ?? {})) {
    const id = item?.head?.operationId;
    // The library has added a suffix to that of a route that only serves HEAD.
    const operationId = `${id?.replace(/-head$/, '')}Head`;
    if (item?.head !== undefined && id !== undefined) item.head = { ...item.head, operationId };
  }
}

const IDEMPOTENCY_KEY = {
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: IDEMPOTENCY_KEY_PATTERN,
    description:
      'A text of your choice, new for every request and the same when you repeat it. A repeat within 24 hours receives ' +
      'the first response again, and nothing happens twice.',
    examples: ['episode-7-2027-03-14'],
  },
};

function headersOf(
  { documentedHeaders = {}, requiredHeaders = [] }: FastifyContextConfig = {},
  takesIdempotencyKey: boolean,
): { readonly headers?: unknown } {
  const properties = { ...documentedHeaders, ...(takesIdempotencyKey ? IDEMPOTENCY_KEY : {}) };
  if (Object.keys(properties).length === 0) return {};
  const required = requiredHeaders.length === 0 ? {} : { required: requiredHeaders };
  return { headers: { type: 'object', properties, ...required } };
}

function describeRoute(
  given: FastifySchema | undefined,
  url: string,
  route: Pick<RouteOptions, 'config' | 'method'>,
): { schema: FastifySchema; url: string } {
  const { config, method } = route;
  const schema: FastifySchema = given ?? { hide: true };
  const isApi = url.startsWith(API_PREFIX);
  const takesIdempotencyKey = isApi && method === 'POST';
  const described: Record<string, unknown> = {};
  for (const [status, body] of Object.entries({
    ...errorResponses(codesOf(schema, route, isApi, takesIdempotencyKey)),
    ...Object(schema.response),
  })) {
    described[status] = { description: STATUS_CODES[status], ...Object(body) };
  }
  return {
    url: config?.documentedAs ?? url,
    schema: {
      ...schema,
      ...headersOf(config, takesIdempotencyKey),
      ...(Object.keys(described).length === 0 ? {} : { response: described }),
      // Explicit also for signed links, because without it `security` would look forgotten.
      security: securityOf(config?.access ?? ANYONE),
    },
  };
}

/** All error codes of a route: its own, and those of its credential, parameters and body. */
function codesOf(
  schema: FastifySchema,
  { config, method }: Pick<RouteOptions, 'config' | 'method'>,
  isApi: boolean,
  takesIdempotencyKey: boolean,
): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(config?.errors);
  // A path or a query can be invalid too.
  if (isApi) codes.add('INVALID_PARAMS');
  if (isApi && schema.body !== undefined) {
    codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE').add('REQUEST_TIMEOUT');
  }
  if (takesIdempotencyKey) codes.add('IDEMPOTENCY_IN_PROGRESS').add('IDEMPOTENCY_KEY_REUSED');
  if (config?.access !== undefined) {
    codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('NOT_IMPLEMENTED').add('SERVICE_UNAVAILABLE');
    for (const code of refusalsOf(config.access)) codes.add(code);
    if (config.access.kind !== 'anyone' && !isOpenToSuspended(String(method), config))
      codes.add('ACCOUNT_SUSPENDED');
  }
  return codes;
}

function refusalsOf(access: Access): ErrorCode[] {
  switch (access.kind) {
    case 'anyone':
      return [];
    case 'account':
      return access.whilePendingDeletion ? ['UNAUTHORIZED'] : ['UNAUTHORIZED', 'ACCOUNT_PENDING_DELETION'];
    case 'apiKey':
      return ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE'];
    case 'accountOrApiKey':
      return ['UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'ACCOUNT_PENDING_DELETION'];
    case 'session':
      return ['UNAUTHORIZED', 'ACCOUNT_PENDING_DELETION'];
    case 'bearerKey':
      return ['UNAUTHORIZED'];
    default:
      return access satisfies never;
  }
}

function securityOf(access: Access): Record<string, string[]>[] {
  switch (access.kind) {
    case 'anyone':
      return [];
    case 'account':
      return [{ accessToken: [] }];
    case 'apiKey':
      return [{ apiKey: [access.scope] }];
    case 'accountOrApiKey':
      return [{ accessToken: [] }, { apiKey: [access.scope] }];
    // The description excludes the console's routes and /mcp.
    case 'session':
    case 'bearerKey':
      return [];
    default:
      return access satisfies never;
  }
}

function errorResponses(codes: ReadonlySet<ErrorCode>): Record<string, unknown> {
  const byStatus = Map.groupBy([...codes].sort(), (code) => STATUS_OF_CODE[code]);
  return Object.fromEntries(
    Array.from(byStatus, ([status, group]) => [
      String(status),
      { description: group.map((code) => `\`${code}\``).join(', '), $ref: 'Error#' },
    ]),
  );
}
