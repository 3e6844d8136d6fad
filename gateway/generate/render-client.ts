/**
 * Makes the client's generated files: the types by openapi-typescript, one method per operation, and the bounds of a split.
 *
 * All see the description without what every operation has alike: the refusals, which the client throws as one class,
 * and the headers, which it reads itself. That halves the types that a caller's compiler has to load.
 */
import { join } from 'node:path';
import { startTestGateway } from '@audiosplit/gateway/testing/test-gateway';
import openapiTS, { astToString } from 'openapi-typescript';
import { type Description, mapOperations, type Operation } from './description.ts';
import { renderCutFields } from './render-cut-fields.ts';
import { renderLimits } from './render-limits.ts';
import { renderOperations } from './render-operations.ts';
import { renderSpeechCuts } from './render-speech-cuts.ts';
import { renderRemedies, renderToolSchemas } from './render-tools.ts';

export const GENERATED = join(import.meta.dirname, '../../clients/typescript/src/generated');
const NOTICE = '// Made from the description of the API by `npm run generate -- client`. Changes are lost.\n';

export async function readDescription(): Promise<Description> {
  await using gateway = await startTestGateway();
  const response = await fetch(new URL('/openapi.json', gateway.url));
  return (await response.json()) as Description;
}

/** Texts of the files by their paths from the client's folder. */
export async function renderClient(description: Description): Promise<Map<string, string>> {
  const own = mapOperations(description, (operation, method, path) =>
    isMethod(operation, method, path) ? withoutWhatAllHave(operation) : undefined,
  );
  const { schemas } = own.components;
  const types = await openapiTS(JSON.stringify({ ...own, components: { schemas } }, withoutExamples), {
    // A default is what the API assumes for what is left out.
    defaultNonNullable: false,
    immutable: true,
    silent: true,
  });
  return new Map([
    ['schema.ts', NOTICE + astToString(types)],
    ['operations.ts', NOTICE + renderOperations(own)],
    ['limits.ts', NOTICE + renderLimits(own)],
    ['speech-cuts.ts', NOTICE + renderSpeechCuts()],
    ['../../../cuts/src/generated/cut-fields.ts', NOTICE + renderCutFields()],
    ['../../../mcp/src/generated/tool-schemas.ts', NOTICE + renderToolSchemas(description)],
    ['../../../mcp/src/generated/remedies.ts', NOTICE + renderRemedies()],
  ]);
}

/** Examples belong to the API's reference; in the types they were a fifth of the text. */
function withoutExamples(key: string, value: unknown): unknown {
  return key === 'example' || key === 'examples' ? undefined : value;
}

/** What is not of JSON, a stream or a file, has a method that was written by hand. */
function isMethod({ responses }: Operation, method: string, path: string): boolean {
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content));
  return (
    path.startsWith('/api/') && method !== 'head' && contents.every((type) => type === 'application/json')
  );
}

function withoutWhatAllHave(operation: Operation): Operation {
  const successes = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description, content }]) => [
      status,
      { description, ...(content === undefined ? {} : { content }) },
    ]);
  return {
    ...operation,
    parameters: operation.parameters?.filter((parameter) => parameter.in !== 'header') ?? [],
    responses: Object.fromEntries(successes),
  };
}
