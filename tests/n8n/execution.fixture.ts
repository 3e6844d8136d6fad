/**
 * The parts of n8n that these nodes need, with the real errors and real requests. The nodes are the compiled
 * ones, because n8n and its interfaces are CommonJS.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type {
  ICredentialDataDecryptedObject,
  IDataObject,
  IExecuteFunctions,
  IHookFunctions,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  INodeType,
  IWebhookFunctions,
} from 'n8n-workflow';
import { repositoryRoot } from '../../deploy/launcher.mjs';

const PACKAGE = join(repositoryRoot, 'clients/n8n');
const require = createRequire(join(PACKAGE, 'package.json'));
execFileSync(process.execPath, ['../../deploy/prepack.mjs'], { cwd: PACKAGE, stdio: 'inherit' });

export const { NodeApiError, NodeOperationError }: typeof import('n8n-workflow') = require('n8n-workflow');
export const {
  Audiosplit,
}: typeof import('../../clients/n8n/nodes/Audiosplit/Audiosplit.node.ts') = require('./dist/nodes/Audiosplit/Audiosplit.node.js');
export const {
  AudiosplitTrigger,
}: typeof import('../../clients/n8n/nodes/AudiosplitTrigger/AudiosplitTrigger.node.ts') = require('./dist/nodes/AudiosplitTrigger/AudiosplitTrigger.node.js');
const {
  AudiosplitApi,
}: typeof import('../../clients/n8n/credentials/AudiosplitApi.credentials.ts') = require('./dist/credentials/AudiosplitApi.credentials.js');
const {
  AudiosplitAccountApi,
}: typeof import('../../clients/n8n/credentials/AudiosplitAccountApi.credentials.ts') = require('./dist/credentials/AudiosplitAccountApi.credentials.js');

type Credentials = Readonly<Record<string, ICredentialDataDecryptedObject>>;

interface Given {
  readonly nodeType: INodeType;
  readonly credentials: Credentials;
  /** Override the defaults of the description. */
  readonly parameters?: IDataObject;
}

export interface Execution extends Given {
  readonly items?: INodeExecutionData[];
  readonly continueOnFail?: boolean;
  readonly resumeUrl?: string;
}

const TYPES = [new AudiosplitApi(), new AudiosplitAccountApi()];

/** `sleepingUntil` is set once the node has suspended the execution. */
export function executionOf(given: Execution) {
  const { continueOnFail = false, resumeUrl = 'http://127.0.0.1:1/' } = given;
  const items: readonly INodeExecutionData[] = given.items ?? [{ json: {} }];
  const sleeping: { until?: Date } = {};
  const { helpers, ...rest } = basis(given);
  const fileOf = (itemIndex: number, property: string) =>
    items[itemIndex]?.binary?.[property] ?? assert.fail(`no binary ${property}`);
  const context = {
    ...rest,
    helpers: {
      ...helpers,
      // As in n8n's in-memory mode, where a file is base64.
      assertBinaryData: fileOf,
      getBinaryDataBuffer: async (itemIndex: number, property: string) =>
        Buffer.from(fileOf(itemIndex, property).data, 'base64'),
      prepareBinaryData: async (file: Buffer, fileName: string) => ({
        data: file.toString('base64'),
        mimeType: 'audio/mpeg',
        fileName,
      }),
    },
    getInputData: () => items,
    continueOnFail: () => continueOnFail,
    getExecutionCancelSignal: () => undefined,
    evaluateExpression: (expression: string) => {
      assert.equal(expression, '{{ $execution.resumeUrl }}');
      return resumeUrl;
    },
    putExecutionToWait: async (until: Date) => {
      sleeping.until = until;
    },
  };
  return { context: context as unknown as IExecuteFunctions, sleeping };
}

export function hookOf(given: Given, webhookUrl: string): IHookFunctions {
  return { ...basis(given), getNodeWebhookUrl: () => webhookUrl } as unknown as IHookFunctions;
}

interface Notification {
  readonly headers: IDataObject;
  readonly body: string;
}

/** `answered` is the status if the node itself responds. `item` is the item that waits. */
export function notificationOf(given: Given, { headers, body }: Notification, item: IDataObject = {}) {
  const answer: { status?: number } = {};
  const response = {
    status: (status: number) => {
      answer.status = status;
      return response;
    },
    json: () => response,
  };
  const context = {
    ...basis(given),
    getBodyData: () => JSON.parse(body),
    getHeaderData: () => headers,
    getRequestObject: () => ({ rawBody: Buffer.from(body) }),
    getResponseObject: () => response,
    evaluateExpression: (expression: string) => {
      assert.equal(expression, '{{ $json.id }}');
      return item.id;
    },
  };
  return { context: context as unknown as IWebhookFunctions, answer };
}

function basis({ nodeType, credentials, parameters = {} }: Given) {
  const { description } = nodeType;
  const node = { name: description.displayName, type: description.name, parameters: {} } as INode;
  const standards = Object.fromEntries(description.properties.map((each) => [each.name, each.default]));
  const tokens = new Map<string, IDataObject>();
  return {
    getNode: () => node,
    getNodeParameter: (name: string) => {
      assert.ok(name in standards, `the node has no parameter ${name}`);
      return parameters[name] ?? standards[name];
    },
    getCredentials: async (name: string) => credentials[name] ?? assert.fail(`no credential ${name}`),
    helpers: {
      httpRequest,
      httpRequestWithAuthentication: async (name: string, options: IHttpRequestOptions) => {
        const type = TYPES.find((each) => each.name === name) ?? assert.fail();
        const own = credentials[name] ?? assert.fail();
        if ('preAuthentication' in type && !tokens.has(name)) {
          const helpers = { helpers: { httpRequest } } as unknown as ThisParameterType<
            typeof type.preAuthentication
          >;
          tokens.set(name, await type.preAuthentication.call(helpers, own));
        }
        const fields: IDataObject = { ...own, ...tokens.get(name) } as IDataObject;
        const added = Object.entries(type.authenticate.properties.headers ?? {}).map(([header, value]) => [
          header,
          String(value)
            .slice(1)
            .replace(/\{\{\$credentials\.(\w+)\}\}/, (_, field) => String(fields[field])),
        ]);
        try {
          return await httpRequest({
            ...options,
            headers: { ...options.headers, ...Object.fromEntries(added) },
          });
        } catch (error) {
          throw new NodeApiError(node, error as never);
        }
      },
    },
  };
}

/** Rejects with axios's error, which contains the request with its headers. */
async function httpRequest(options: IHttpRequestOptions): Promise<unknown> {
  const { url, method = 'GET', headers = {}, body, json, encoding } = options;
  const sent = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  if (json === true) sent.set('content-type', 'application/json');
  const init = {
    method,
    headers: sent,
    ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
  };
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch (cause) {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', config: options, cause });
  }
  if (encoding === 'arraybuffer' && response.ok) return await response.arrayBuffer();
  const text = await response.text();
  const data = text.startsWith('{') ? JSON.parse(text) : text;
  if (response.ok) return data;
  throw Object.assign(new Error(`Request failed with status code ${response.status}`), {
    isAxiosError: true,
    config: options,
    response: { status: response.status, data, headers: Object.fromEntries(response.headers) },
  });
}
