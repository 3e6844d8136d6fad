/** One method per operation, named by its id, with what the description says about it. */
import type { Description, Operation } from './description.ts';

interface Method {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly verb: string;
  readonly path: string;
  readonly pathParameters: readonly string[];
  readonly input: 'query' | 'body' | 'emptyBody' | undefined;
  readonly isInputOptional: boolean;
  readonly credentials: readonly string[];
  readonly isPaged: boolean;
}

export function renderOperations({ paths }: Description): string {
  const methods = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => readMethod(path, verb, operation)),
  );
  return `import type { Answer, Body, Query, Row } from '../operation-types.ts';
import { eachRow, MAX_PAGE_ROWS } from '../pages.ts';
import { type CallOptions, pathSegment, type Send } from '../request.ts';

/** Every operation of the API that answers with JSON. All of them throw AudiosplitError. */
export interface Operations {
${methods.map(renderSignature).join('\n')}
}

export function createOperations(send: Send): Operations {
  const operations: Operations = {
${methods.map(renderImplementation).join('\n')}
  };
  return operations;
}
`;
}

function readMethod(path: string, verb: string, operation: Operation): Method {
  const {
    operationId,
    summary,
    description = '',
    security,
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = requestBody?.content['application/json']?.schema;
  const names = query.map(({ name }) => name);
  return {
    id: operationId,
    summary,
    description,
    verb: verb.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    input: inputOf(query.length > 0, body?.properties),
    isInputOptional:
      body === undefined ? !query.some(({ required }) => required === true) : !body.required?.length,
    credentials: security.flatMap((each) => Object.keys(each)),
    isPaged: names.includes('page') && responses['200'] !== undefined,
  };
}

function inputOf(hasQuery: boolean, bodyProperties: object | undefined): Method['input'] {
  if (bodyProperties !== undefined) return Object.keys(bodyProperties).length > 0 ? 'body' : 'emptyBody';
  return hasQuery ? 'query' : undefined;
}

function renderSignature(method: Method): string {
  const { id, summary, description, pathParameters, input, isInputOptional, isPaged } = method;
  const optional = isInputOptional ? '?' : '';
  const parameters = [
    ...pathParameters.map((name) => `${name}: string`),
    ...(input === 'body' ? [`body${optional}: Body<'${id}'>`] : []),
    ...(input === 'query' ? [`query${optional}: Query<'${id}'>`] : []),
    'options?: CallOptions',
  ];
  const comment = renderComment([summary, description]);
  const one = `${comment}  ${id}(${parameters.join(', ')}): Promise<Answer<'${id}'>>;`;
  if (!isPaged) return one;
  const rows = `query?: Omit<Query<'${id}'>, 'page'>, options?: CallOptions`;
  const eachComment = renderComment([`${summary}, row by row`, 'Pages are read as the rows are asked for.']);
  return `${one}\n${eachComment}  ${eachName(id)}(${rows}): AsyncGenerator<Row<'${id}'>, void>;`;
}

function renderImplementation(method: Method): string {
  const { id, verb, path, pathParameters, input, credentials, isPaged } = method;
  const address = path.replace(/\{(\w+)\}/g, (_all, name) => `\${pathSegment(${name})}`);
  const quoted = pathParameters.length > 0 ? `\`${address}\`` : `'${address}'`;
  const fields = [
    `method: '${verb}'`,
    `path: ${quoted}`,
    `credentials: [${credentials.map((name) => `'${name}'`).join(', ')}]`,
    ...(input === 'body' ? ['body'] : []),
    ...(input === 'emptyBody' ? ['body: {}'] : []),
    ...(input === 'query' ? ['query'] : []),
  ];
  // A body is sent even where nothing in it is needed.
  const given = input === 'body' && method.isInputOptional ? 'body = {}' : input;
  const names = [
    ...pathParameters,
    ...(given === undefined || given === 'emptyBody' ? [] : [given]),
    'options',
  ];
  const one = `    ${id}: (${names.join(', ')}) => send({ ${fields.join(', ')} }, options),`;
  if (!isPaged) return one;
  const read = `operations.${id}({ limit: MAX_PAGE_ROWS, ...query, page }, options)`;
  return `${one}\n    ${eachName(id)}: (query, options) => eachRow((page) => ${read}),`;
}

/** `listSplits` gives rise to `eachSplit`. */
function eachName(id: string): string {
  const singular = id.replace(/^list/, '').replace(/ies$/, 'y').replace(/s$/, '');
  return `each${singular}`;
}

function renderComment(texts: readonly string[]): string {
  const lines = texts
    .filter((text) => text !== '')
    .flatMap((text, position) => [...(position === 0 ? [] : ['']), ...text.split('\n')]);
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd().replaceAll('*/', '*\\/')).join('\n')}\n   */\n`;
}
