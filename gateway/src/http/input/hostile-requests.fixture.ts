/** Sends raw requests to a gateway and checks the conditions for every response. */
import assert from 'node:assert/strict';
import { ServiceError } from '@audiosplit/chassis/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { queued } from '../../routes/split-jobs.fixture.ts';
import { fetchDescriptionCheck } from '../../testing/description-check.ts';
import { type ExchangeOptions, exchange } from '../../testing/raw-http.ts';
import { readJson } from '../../testing/read-json.ts';
import { ACCOUNT_ID, type ServiceDoubles, startTestGateway } from '../../testing/test-gateway.ts';
import { STATUS_OF_CODE } from '../errors/error-codes.ts';
import { API_PATH } from '../server/api-path.ts';

export type Field = readonly [name: string, value: string];

/** One character per byte: latin1 throughout. */
interface HostileRequest {
  readonly method: string;
  readonly target: string;
  readonly headers?: readonly Field[];
  readonly body?: string;
}

const WINDOW_MS = 60_000;
const LIFETIME_SECONDS = 365 * 24 * 3600;

export async function startHostileTarget() {
  const gateway = await startTestGateway({ services: DOUBLES });
  const checkDescription = await fetchDescriptionCheck(gateway.url);
  const token = await gateway.issuer.sign({ sub: ACCOUNT_ID, expiresIn: LIFETIME_SECONDS });

  /** All responses. More than one only if bytes follow the end of the request. */
  async function send(request: HostileRequest, options: ExchangeOptions = {}): Promise<Response[]> {
    const { method, target, headers = [], body = '' } = request;
    // Each request gets a new window, so that no bucket is exhausted.
    gateway.advance(WINDOW_MS);
    const fields: Field[] = [['Host', 'localhost'], ['Connection', 'close'], ...headers];
    const lines = [`${method} ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`)];
    const bytes = Buffer.from([...lines, '', body].join('\r\n'), 'latin1');
    const answers = await exchange(gateway.url, bytes, { isHead: method === 'HEAD', ...options });
    for (const answer of answers) await checkAnswer(answer.clone(), method);
    if (answers[0] !== undefined && API_PATH.test(target)) checkCounted(answers[0]);
    return answers;
  }

  /** The only response, checked against the description of the operation at `path`. */
  async function sendTo(request: HostileRequest, path = request.target): Promise<Response> {
    const answers = await send(request);
    const [answer] = answers;
    assert.ok(answer !== undefined && answers.length === 1, `${answers.length} answers`);
    checkCounted(answer);
    // Input that is not HTTP is refused on the socket and belongs to no operation.
    const isCall = answer.headers.has('x-content-type-options');
    if (isCall) await checkDescription(request.method, new URL(path, gateway.url), answer);
    return answer;
  }

  return {
    send,
    sendTo,
    apiKeyField: ['X-API-Key', gateway.newKey().secret] as const,
    tokenField: ['Authorization', `Bearer ${token}`] as const,
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

export function jsonBody(text: string) {
  return {
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(text.length)],
    ] as const,
    body: text,
  };
}

async function checkAnswer(answer: Response, method: string): Promise<void> {
  const { status } = answer;
  // 501: the test has no stub for this service.
  assert.ok(status < 500 || status === 501, `${status} ${await answer.clone().text()}`);
  assert.match(answer.headers.get('x-request-id') ?? '', /^[\w.:-]{1,128}$/);
  if (status < 400 || method === 'HEAD') return;
  const { error } = await readJson<{ error: { code: keyof typeof STATUS_OF_CODE; status: number } }>(answer);
  assert.equal(STATUS_OF_CODE[error.code], status);
  assert.equal(error.status, status);
}

function checkCounted({ headers }: Response): void {
  for (const name of ['limit', 'remaining', 'reset']) {
    assert.match(headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/, name);
  }
}

const DOUBLES: ServiceDoubles = {
  auth: {
    login() {
      throw new ServiceError(Reason.UNAUTHORIZED, 'Wrong address or password.');
    },
    createApiKey: ({ name, scopes }) => ({
      secret: 'ask_live_x',
      apiKey: { keyId: 'key_1', name, scopes, createdAt: timestampFromDate(new Date()) },
    }),
  },
  jobs: {
    createJob: () => ({ job: queued }),
    getJob() {
      throw new ServiceError(Reason.JOB_NOT_FOUND, 'This job does not exist.');
    },
    listJobs: () => ({ jobs: [], total: 0n }),
  },
};
