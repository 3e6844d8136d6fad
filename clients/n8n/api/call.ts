/** Calls of the API by n8n's own HTTP helpers, which add the credential. Failures are NodeApiErrors without any secret. */
import { randomUUID } from 'node:crypto';
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHookFunctions,
  type IHttpRequestMethods,
  type IHttpRequestOptions,
  type IWebhookFunctions,
  NodeApiError,
  NodeOperationError,
  sleep,
} from 'n8n-workflow';
import { withoutEndSlash } from './base-url.ts';

export type Context = IExecuteFunctions | IHookFunctions | IWebhookFunctions;

export interface Call {
  readonly credential: 'audiosplitApi' | 'audiosplitAccountApi';
  readonly method: IHttpRequestMethods;
  /** Below /api/v1. */
  readonly path: string;
  readonly body?: IDataObject;
  readonly itemIndex?: number;
}

interface Failure {
  /** Undefined where nothing was answered. */
  readonly status: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly fields: readonly { readonly field?: string; readonly message: string }[];
  readonly retryAfterSeconds: number | undefined;
}

const WORTH_REPEATING = new Set([undefined, 429, 502, 503, 504]);
const MAX_TRIES = 5;
const MAX_PAUSE_SECONDS = 61;

/** Resolves with the answer's JSON. A POST is repeated under the same Idempotency-Key. */
export async function callApi(context: Context, call: Call): Promise<IDataObject> {
  const { baseUrl } = await context.getCredentials(call.credential);
  const options: IHttpRequestOptions = {
    method: call.method,
    url: `${withoutEndSlash(baseUrl)}/api/v1${call.path}`,
    headers: call.method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {},
    ...(call.body === undefined ? {} : { body: call.body }),
    json: true,
    // The request would carry its credential to the target.
    disableFollowRedirect: true,
  };
  for (let tries = 1; ; tries++) {
    try {
      const { credential } = call;
      return await context.helpers.httpRequestWithAuthentication.call(context, credential, options);
    } catch (error) {
      const failure = readFailure(error);
      if (tries === MAX_TRIES || !WORTH_REPEATING.has(failure.status))
        throw toNodeError(context, failure, call);
      await sleep(Math.min(failure.retryAfterSeconds ?? 2 ** (tries - 1), MAX_PAUSE_SECONDS) * 1_000);
    }
  }
}

/** What the error of n8n's helpers says. It is read, and not passed on: it may hold the request with its headers. */
function readFailure(error: unknown): Failure {
  const { httpCode, response, context, cause } = Object(error);
  const answer = response ?? Object(cause).response;
  const status = Number(httpCode ?? answer?.status) || undefined;
  const refusal = Object(Object(context?.data ?? answer?.data).error);
  const retryAfter = Number(answer?.headers?.['retry-after']);
  return {
    status,
    code: String(refusal.code ?? (status === undefined ? 'CONNECTION_FAILED' : 'UNEXPECTED_ANSWER')),
    message: String(
      refusal.message ?? (status === undefined ? 'The server did not answer' : `It answered with ${status}`),
    ),
    fields: Array.isArray(refusal.details) ? refusal.details : [],
    retryAfterSeconds: retryAfter > 0 ? retryAfter : undefined,
  };
}

const SUMMARIES: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Audiosplit refused the credential',
  CONNECTION_FAILED: 'Audiosplit cannot be reached',
  UNEXPECTED_ANSWER: 'What answered is not Audiosplit',
};

function toNodeError(context: Context, failure: Failure, { itemIndex }: Pick<Call, 'itemIndex'>) {
  const { status, code, message, fields } = failure;
  const lines = fields.map((each) => `${each.field ?? 'body'} ${each.message}`);
  return new NodeApiError(
    context.getNode(),
    { code, message },
    {
      message: `${SUMMARIES[code] ?? message} (${code})`,
      description: [...(SUMMARIES[code] === undefined ? [] : [message]), ...lines].join('\n'),
      ...(status === undefined ? {} : { httpCode: String(status) }),
      ...(itemIndex === undefined ? {} : { itemIndex }),
    },
  );
}

/** The error as it is where n8n can show it, and as one that it can show otherwise. */
export function asNodeError(context: Context, error: unknown, itemIndex?: number) {
  if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
  const options = itemIndex === undefined ? {} : { itemIndex };
  return new NodeOperationError(context.getNode(), error as Error, options);
}

/** Whether the API refused this field of the request. */
export function refusesField(error: unknown, field: string): boolean {
  return error instanceof NodeApiError && error.httpCode === '400' && `${error.description}`.includes(field);
}
