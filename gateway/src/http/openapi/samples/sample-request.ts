/**
 * The request in the code samples of an operation. The reader's own values come from the environment, with
 * the same names in every language: `$NAME` in a text stands for such a variable.
 */
import type { OpenAPIV3_1 } from 'openapi-types';

export interface SampleRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly json: unknown } | { readonly fileName: string } | undefined;
  readonly answer: 'headers' | 'json' | 'nothing' | 'stream' | { readonly fileName: string };
}

interface Described {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenAPIV3_1.OperationObject;
}

const FILE = 'episode-7.mp3';

/** Operations behind a signed link, by the variable that contains the link. */
const LINKS: Readonly<Record<string, string>> = {
  downloadFile: '$DOWNLOAD_URL',
  downloadFileHead: '$DOWNLOAD_URL',
  uploadFile: '$UPLOAD_URL',
  downloadUpload: '$SOURCE_URL',
  downloadUploadHead: '$SOURCE_URL',
  sendUploadPart: '$UPLOAD_URL',
  readUploadHead: '$UPLOAD_URL',
  removeUpload: '$UPLOAD_URL',
};

/** Fields of examples that the reader must replace. */
const OWN_FIELDS: Readonly<Record<string, string>> = {
  email: '$AUDIOSPLIT_EMAIL',
  password: '$AUDIOSPLIT_PASSWORD',
  current: '$AUDIOSPLIT_PASSWORD',
  refreshToken: '$REFRESH_TOKEN',
  code: '$CODE',
  sourceUrl: '$SOURCE_URL',
  webhookUrl: '$WEBHOOK_URL',
};
const MAILED = { token: '$MAILED_TOKEN' };
const OWN_FIELDS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  loginByLink: MAILED,
  verifyEmail: MAILED,
  resetPassword: { ...MAILED, password: '$NEW_PASSWORD' },
  changePassword: { password: '$NEW_PASSWORD' },
  changeEmail: { email: '$NEW_EMAIL' },
  setWebhookEndpoint: { url: '$WEBHOOK_URL' },
  setSandboxClock: { now: '$NOW' },
};

export function sampleRequest({ path, method, operation }: Described): SampleRequest {
  const id = operation.operationId ?? '';
  const json = exampleOf(operation);
  return {
    method: method.toUpperCase(),
    url: LINKS[id] ?? urlOf(path, operation),
    headers: {
      ...credentialOf(operation),
      ...requiredHeadersOf(operation),
      ...(id === 'sendUploadPart' ? { 'Content-Type': 'application/offset+octet-stream' } : {}),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body:
      json !== undefined
        ? { json: withOwnFields(json, { ...OWN_FIELDS, ...OWN_FIELDS_OF[id] }) }
        : (method === 'put' || method === 'patch') && LINKS[id] !== undefined
          ? { fileName: FILE }
          : undefined,
    answer: answerOf(method, operation),
  };
}

/** With the required query parameters. */
function urlOf(path: string, { parameters = [] }: OpenAPIV3_1.OperationObject): string {
  const query = parameters.flatMap((parameter) => {
    if (!('in' in parameter) || parameter.in !== 'query' || parameter.required !== true) return [];
    const [example] = Object(parameter.schema).examples ?? [];
    return [`${parameter.name}=${encodeURIComponent(String(example))}`];
  });
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => `$${variableOf(name)}`);
  return `$AUDIOSPLIT_URL${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function requiredHeadersOf({ parameters = [] }: OpenAPIV3_1.OperationObject): Record<string, string> {
  const required = parameters.flatMap((each) =>
    'in' in each && each.in === 'header' && each.required === true ? [each] : [],
  );
  return Object.fromEntries(
    required.map(({ name, example, examples }) => [
      name,
      String(example ?? Object(Object.values(Object(examples))[0]).value),
    ]),
  );
}

/** `jobId` becomes `JOB_ID`. */
function variableOf(parameter: string): string {
  return parameter.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

function exampleOf({ requestBody }: OpenAPIV3_1.OperationObject): unknown {
  const { example, examples } = Object(Object(requestBody).content?.['application/json']);
  return example ?? Object(Object.values(Object(examples))[0]).value;
}

function withOwnFields(json: unknown, own: Readonly<Record<string, string>>): unknown {
  return Object.fromEntries(Object.entries(Object(json)).map(([name, value]) => [name, own[name] ?? value]));
}

function credentialOf({ security = [] }: OpenAPIV3_1.OperationObject): Record<string, string> {
  const [scheme] = Object.keys(security[0] ?? {});
  if (scheme === 'apiKey') return { 'X-API-Key': '$AUDIOSPLIT_KEY' };
  if (scheme === 'accessToken') return { Authorization: 'Bearer $AUDIOSPLIT_TOKEN' };
  return {};
}

function answerOf(method: string, { responses }: OpenAPIV3_1.OperationObject): SampleRequest['answer'] {
  if (method === 'head') return 'headers';
  const [status] = Object.keys(Object(responses)).filter((each) => each.startsWith('2'));
  const [type] = Object.keys(Object(Object(responses)[status ?? '']?.content));
  if (type === undefined) return 'nothing';
  if (type === 'application/json') return 'json';
  if (type === 'text/event-stream') return 'stream';
  return { fileName: type === 'application/zip' ? 'segments.zip' : FILE };
}
