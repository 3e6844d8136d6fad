/** Somebody with an account and a key who uses the public API, and takes any refusal for a failure. */
import { randomBytes } from 'node:crypto';
import { until } from '@audiosplit/chassis/testing/until';

export interface ApiUser {
  readonly accountId: string;
  /** By what they are; for requests that a key does not allow, and to look for where they do not belong. */
  readonly credentials: Readonly<Record<'password' | 'accessToken' | 'apiKey', string>>;
  /** Below it lie `/fast.mp3` and `/slow.mp3`. */
  readonly sourcesUrl: string;
  /** Throws unless it is answered with `status`. */
  request(method: string, path: string, status: number, body?: object): Promise<Response>;
  json<T>(method: string, path: string, status: number, body?: object): Promise<T>;
  /** Opens a stream of a job's events; 200 or 204, else it throws. */
  follow(jobId: string, lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** As the next answer says. */
  requestsPerMinute(): Promise<number>;
}

export interface Job {
  readonly id: string;
  readonly status: string;
  readonly segments?: readonly { readonly downloadUrl: string; readonly size: number }[];
}

const ANSWERS_IN_A_ROW = 10;

/** Resolves once new limits hold wherever a request may arrive: every gateway remembers those before for a while. */
export async function untilGatewaysKnow(user: ApiUser, requestsPerMinute: number): Promise<void> {
  let inARow = 0;
  await until(async () => {
    inARow = (await user.requestsPerMinute()) === requestsPerMinute ? inARow + 1 : 0;
    return inARow === ANSWERS_IN_A_ROW;
  }, 'all gateways know of the limits');
}

export async function openApiUser(baseUrl: string, sourcesUrl: string): Promise<ApiUser> {
  const ask = async (
    headers: Readonly<Record<string, string>>,
    ...[method, path, status, body]: Parameters<ApiUser['request']>
  ): Promise<Response> => {
    const response = await fetch(path.startsWith('http') ? path : `${baseUrl}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (response.status === status) return response;
    throw new Error(`${response.status} instead of ${status}: ${(await response.text()).slice(0, 300)}`);
  };
  const registration = {
    email: `${randomBytes(6).toString('hex')}@example.com`,
    password: 'correct horse battery',
  };
  const registered = await ask({}, 'POST', '/api/v1/auth/register', 201, registration);
  const { account, accessToken } = (await registered.json()) as {
    readonly account: { readonly id: string };
    readonly accessToken: string;
  };
  const authorization = `Bearer ${accessToken}`;
  const created = await ask({ authorization }, 'POST', '/api/v1/api-keys', 201, { name: 'load' });
  const { key } = (await created.json()) as { readonly key: string };
  const request: ApiUser['request'] = (...asked) => ask({ 'x-api-key': key }, ...asked);
  return {
    accountId: account.id,
    credentials: { password: registration.password, accessToken, apiKey: key },
    sourcesUrl,
    request,
    json: async <T>(...asked: Parameters<ApiUser['request']>) =>
      (await (await request(...asked)).json()) as T,
    async follow(jobId, lastEventId, signal) {
      const response = await fetch(`${baseUrl}/api/v1/splits/${jobId}/events`, {
        headers: { 'x-api-key': key, ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }) },
        signal,
      });
      if (response.status === 200 || response.status === 204) return response;
      throw new Error(`${response.status}: ${(await response.text()).slice(0, 300)}`);
    },
    async requestsPerMinute() {
      const response = await fetch(`${baseUrl}/api/v1/splits`, { headers: { 'x-api-key': key } });
      await response.body?.cancel();
      return Number(response.headers.get('x-ratelimit-limit'));
    },
  };
}
