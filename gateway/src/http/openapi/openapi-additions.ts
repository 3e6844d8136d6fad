/** Adds to the description what routes do not declare: examples, rules across fields, and webhooks. */
import type { OpenAPIV3_1 } from 'openapi-types';
import { COMPONENT_EXAMPLES } from '../../schemas/examples.ts';
import { NOTIFICATIONS, type NotificationKind } from '../../schemas/notifications.ts';
import { REQUEST_EXAMPLE_SETS, REQUEST_EXAMPLES } from '../../schemas/request-examples.ts';
import { CUT_RULES } from '../../schemas/split-modes.ts';
import { STORABLE_TEXT } from '../../schemas/text.ts';

type Description = Partial<OpenAPIV3_1.Document>;

/** Adds `examples` to each component, and an `example` or several to each request body. */
export function addExamples(description: Description): void {
  for (const [name, schema] of Object.entries(description.components?.schemas ?? {})) {
    const examples = COMPONENT_EXAMPLES[name];
    if (examples !== undefined) Object.assign(schema, { examples });
  }
  for (const { operationId, media } of requestBodies(description)) {
    const set = REQUEST_EXAMPLE_SETS[operationId];
    if (set === undefined) media.example = REQUEST_EXAMPLES[operationId];
    else media.examples = Object.fromEntries(Object.entries(set).map(([name, value]) => [name, { value }]));
  }
}

/** Adds the rules that are checked after the schema, and `{}` as the default of a body without required members. */
export function addRulesAcrossFields(description: Description): void {
  for (const { operationId, body, media } of requestBodies(description)) {
    const schema: OpenAPIV3_1.SchemaObject = Object(media.schema);
    const rules = BODY_RULES[operationId];
    if (rules !== undefined) media.schema = { ...schema, ...rules };
    const member = MEMBER_WITH_CUT[operationId];
    if (member !== undefined) {
      const settings = { ...Object(schema.properties?.[member]), ...CUT_RULES };
      media.schema = { ...schema, properties: { ...schema.properties, [member]: settings } };
    }
    body.required = (schema.required ?? []).length > 0;
  }
}

/** Adds the rule on text that validation applies to every request. */
export function addTextRule(description: Description): void {
  for (const item of Object.values(description.paths ?? {})) {
    for (const operation of Object.values(Object(item))) {
      const { parameters = [] }: OpenAPIV3_1.OperationObject = Object(operation);
      for (const parameter of parameters) {
        if ('schema' in parameter && parameter.schema !== undefined) {
          parameter.schema = withTextRule(parameter.schema);
        }
      }
    }
  }
  for (const { media } of requestBodies(description)) {
    if (media.schema !== undefined) media.schema = withTextRule(media.schema);
  }
}

/** Text with a pattern, a format or a list of values cannot break the rule. */
function withTextRule<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(withTextRule) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, pattern, format, enum: values, additionalProperties }: OpenAPIV3_1.SchemaObject = schema;
  const isFree = [pattern, format, values].every((each) => each === undefined) && !('const' in schema);
  return {
    ...Object.fromEntries(Object.entries(schema).map(([name, each]) => [name, withTextRule(each)])),
    ...([type].flat().includes('string') && isFree ? { pattern: STORABLE_TEXT } : {}),
    ...(additionalProperties === true ? { propertyNames: { pattern: STORABLE_TEXT } } : {}),
  } as T;
}

const BODY_RULES: Readonly<Record<string, Record<string, unknown>>> = { createSplit: CUT_RULES };
/** The member of the request that contains the cut. */
const MEMBER_WITH_CUT: Readonly<Record<string, string>> = { savePreset: 'request', createBatch: 'settings' };

function* requestBodies(description: Description) {
  for (const item of Object.values(description.paths ?? {})) {
    for (const operation of Object.values(Object(item))) {
      const { operationId, requestBody }: OpenAPIV3_1.OperationObject = Object(operation);
      const body: OpenAPIV3_1.RequestBodyObject = Object(requestBody);
      const media = body.content?.['application/json'];
      if (operationId !== undefined && media !== undefined) yield { operationId, body, media };
    }
  }
}

/** The `webhooks` of OpenAPI 3.1, section 4.8.1. */
export function describeWebhooks() {
  return Object.fromEntries(NOTIFICATIONS.map((kind) => [kind.type, { post: describeWebhook(kind) }]));
}

function describeWebhook({ type, summary, body }: NotificationKind) {
  return {
    operationId: `on.${type}`,
    tags: ['Webhooks'],
    summary,
    description:
      'Posted to the `webhookUrl` of the job or export and to the endpoint of the account, and signed according to Standard ' +
      'Webhooks 1.0 with the secret ' +
      'of `GET /api/v1/webhooks/secret`. Verify the signature before reading the body, and use `webhook-id` to ' +
      'tell a repetition.',
    security: [],
    parameters: Object.entries(SIGNATURE_HEADERS).map(([name, { description, example }]) => ({
      in: 'header',
      name,
      required: true,
      description,
      schema: { type: 'string' as const },
      example,
    })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${body.$id}` } } },
    },
    responses: {
      '2XX': { description: 'Received. The body of the response is not read.' },
      '410': { description: 'No longer wanted: this notification is not sent again.' },
      default: {
        description:
          'Not received; this includes redirects. It is sent again later, up to eight times in total. `Retry-After` is respected.',
      },
    },
  };
}

const SIGNATURE_HEADERS: Readonly<
  Record<string, { readonly description: string; readonly example: string }>
> = {
  'webhook-id': {
    description: 'Id of the notification; the same at every attempt.',
    example: 'dlv_01jq8z5c7mexample0000000000',
  },
  'webhook-timestamp': {
    description: 'Time of this attempt, as Unix time in seconds. Refuse messages that are much older.',
    example: '1805103072',
  },
  'webhook-signature': {
    description:
      '`v1,` and the HMAC-SHA256 of id, timestamp and body in base64; two of them, separated by a space, while ' +
      'a secret is being rotated.',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};
