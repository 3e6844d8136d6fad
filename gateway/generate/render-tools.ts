/** The input schemas of the tools for agents, and what to do about each error, from the API's description and its guide. */
import { ERROR_GUIDE, JOB_ERROR_GUIDE } from '@audiosplit/gateway/http/errors/error-guide';
import type { Description, Operation } from './description.ts';

type Schema = Readonly<Record<string, unknown>>;

export function renderToolSchemas(description: Description): string {
  const body = bodyOf(description, operationOf(description, 'createSplit'));
  // Planning and splitting are tools of their own.
  const { dryRun, ...properties } = (body.properties ?? {}) as Record<string, Schema>;
  if (dryRun === undefined) throw new Error('createSplit has no dryRun');
  const constants = {
    SPLIT_PROPERTIES: properties,
    LIST_PROPERTIES: parametersOf(operationOf(description, 'listSplits')),
    JOB_ID: parametersOf(operationOf(description, 'getSplit')).jobId,
  };
  return Object.entries(constants)
    .map(([name, value]) => `\nexport const ${name} = ${JSON.stringify(value, withoutExamples, 2)};\n`)
    .join('');
}

export function renderRemedies(): string {
  const remedies = Object.entries({ ...ERROR_GUIDE, ...JOB_ERROR_GUIDE }).map(([code, { remedy }]) => [
    code,
    remedy,
  ]);
  const text = JSON.stringify(Object.fromEntries(remedies), undefined, 2);
  return `\n/** What to do, by the code of a refusal or of a failed job. */\nexport const REMEDIES: Readonly<Record<string, string>> = ${text};\n`;
}

function operationOf({ paths }: Description, id: string): Operation {
  const found = Object.values(paths)
    .flatMap((item) => Object.values(item))
    .find(({ operationId }) => operationId === id);
  if (found === undefined) throw new Error(`there is no ${id}`);
  return found;
}

function bodyOf(description: Description, { requestBody }: Operation): Schema {
  return resolved(requestBody?.content['application/json']?.schema, description) as Schema;
}

function parametersOf({ parameters = [] }: Operation): Record<string, unknown> {
  return Object.fromEntries(
    parameters
      .filter((each) => each.in !== 'header')
      .map((each) => {
        const { name, schema, description } = each as typeof each & { schema: Schema; description: string };
        return [name, { ...schema, description }];
      }),
  );
}

/** With the components in the places that refer to them. */
function resolved(schema: unknown, description: Description): unknown {
  if (Array.isArray(schema)) return schema.map((each) => resolved(each, description));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) {
    const name = String(schema.$ref).split('/').at(-1) ?? '';
    return resolved(description.components.schemas[name], description);
  }
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, resolved(value, description)]),
  );
}

function withoutExamples(key: string, value: unknown): unknown {
  return key === 'examples' || key === 'example' ? undefined : value;
}
