/**
 * Guarded egress over undici.
 *
 * For each hop: parse the URL, resolve its host, classify every address, dial one of them, then speak one
 * HTTP/1.1 request over that socket and close it. undici never resolves or dials, so neither an IP literal
 * (for which a socket's lookup hook is not called) nor a second DNS answer gets past the check, and no
 * connection is ever shared between two requests.
 *
 * Redirects: GET and HEAD only; any other method's redirect is returned as it is. A step from https down
 * to http is followed: credentials never travel past the first hop, and a plain http URL could have been
 * named at once. Bodies are passed on undecoded.
 */
import type { Socket } from 'node:net';
import { dial } from './dial.ts';
import {
  type EgressCheck,
  EgressError,
  type EgressPolicy,
  type EgressRequest,
  type EgressResponse,
  type GuardedEgress,
} from './egress.ts';
import { type AddressRules, parseEgressPolicy } from './egress-policy.ts';
import { type EgressTarget, parseEgressUrl } from './egress-url.ts';
import { type Exchange, type ExchangeOptions, exchangeHttp } from './http-exchange.ts';
import { createNames, type Names } from './names/names.ts';
import { abortedBy, orAborted, type RequestLifetime, startRequestLifetime } from './request-lifetime.ts';
import { ownAddressOf, type ResolveName, resolveTarget } from './resolve-target.ts';

interface GuardedEgressOptions {
  /** From `DNS_SERVERS`; absent: the system's name servers. */
  readonly dnsServers?: readonly string[];
  /** Replaces the name servers. */
  readonly resolve?: ResolveName;
  /** Replaces the names resolved through `dnsServers`. */
  readonly names?: Names;
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The connection sets framing and routing headers, not the caller: a different Host would defeat URL
 * prefixes.
 */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'expect',
  'upgrade',
  'te',
  'trailer',
  'accept-encoding',
]);

const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization']);

/**
 * Disposing it ends all open requests and bodies with EgressError `aborted`. Throws EgressPolicyError for an
 * invalid policy.
 */
export function createGuardedEgress(
  policy: EgressPolicy,
  {
    dnsServers,
    resolve,
    names = createNames(dnsServers === undefined ? {} : { servers: dnsServers }),
  }: GuardedEgressOptions = {},
): GuardedEgress {
  const rules = parseEgressPolicy(policy);
  const resolution: Resolution = {
    rules,
    resolve: resolve ?? names.resolve,
    enterNames: resolve === undefined ? names.enter : undefined,
  };
  const open = new Set<RequestLifetime>();
  let isDisposed = false;

  return {
    async request(url, request) {
      if (isDisposed) throw closed();
      const lifetime = startRequestLifetime(request);
      open.add(lifetime);
      const end = () => {
        lifetime.end();
        open.delete(lifetime);
      };
      try {
        const { response, finished } = await followRedirects(url, request, { lifetime, resolution });
        lifetime.headersReceived();
        void finished.then(end);
        return response;
      } catch (error) {
        end();
        throw error;
      }
    },

    async check(url, { accountId, signal = new AbortController().signal }: EgressCheck = {}) {
      const target = parseEgressUrl(url);
      const checking = async () => {
        using _turn = await enterNames(target, resolution, { accountId, signal });
        await resolveTarget(target, rules, resolution.resolve);
      };
      await orAborted(checking(), signal, () => abortedBy(signal));
    },

    async [Symbol.asyncDispose]() {
      isDisposed = true;
      for (const lifetime of open) lifetime.abort(closed());
    },
  };
}

interface Resolution {
  readonly rules: AddressRules;
  readonly resolve: ResolveName;
  readonly enterNames: Names['enter'] | undefined;
}

/** The same for all hops of a request. */
interface RequestContext {
  readonly lifetime: RequestLifetime;
  readonly resolution: Resolution;
}

async function followRedirects(
  url: string,
  request: EgressRequest,
  context: RequestContext,
): Promise<Exchange> {
  let target = parseEgressUrl(url);
  let headers = without(OWN_HEADERS, lowerCased(request.headers));
  let originHeaders = without(OWN_HEADERS, lowerCased(request.originHeaders));
  for (let redirects = 0; ; redirects++) {
    const exchange = await requestOnce(
      target,
      { ...request, headers: { ...headers, ...originHeaders } },
      context,
    );
    const location = request.maxRedirects === 0 ? undefined : redirectLocation(request, exchange.response);
    if (location === undefined) return exchange;
    exchange.response.body.destroy();
    if (redirects === request.maxRedirects) {
      throw new EgressError('too-many-redirects', `More than ${request.maxRedirects} redirects.`);
    }
    const { origin } = target.url;
    target = parseEgressUrl(location, target.url);
    if (target.url.origin !== origin) originHeaders = {};
    headers = without(CREDENTIAL_HEADERS, headers);
  }
}

/** One hop, over a connection of its own. */
async function requestOnce(
  target: EgressTarget,
  request: EgressRequest & Pick<ExchangeOptions, 'headers'>,
  { lifetime, resolution }: RequestContext,
): Promise<Exchange> {
  const { signal, outsideTime } = lifetime;
  const host = `${target.hostname}:${target.port}`;
  const place = request.enterHost && (await outsideTime(request.enterHost(host, signal)));
  const leave = () => place?.[Symbol.dispose]();
  try {
    const { accountId, connectTimeoutMs: timeoutMs } = request;
    // Waiting does not count, because the account waits for its own look-ups only.
    const nameTurn = await outsideTime(enterNames(target, resolution, { accountId, signal }));
    const socket = await connect(target, resolution, { timeoutMs, signal, nameTurn });
    const exchange = await exchangeHttp(socket, target, { ...request, signal });
    void exchange.finished.then(leave);
    return exchange;
  } catch (error) {
    leave();
    throw error;
  }
}

async function enterNames(
  { hostname }: EgressTarget,
  { enterNames }: Resolution,
  { accountId, signal }: { readonly accountId: string | undefined; readonly signal: AbortSignal },
): Promise<Disposable | undefined> {
  if (accountId === undefined || enterNames === undefined) return undefined;
  if (ownAddressOf(hostname) !== undefined) return undefined;
  return await enterNames(hostname, accountId, signal);
}

interface ConnectOptions {
  /** For name resolution, TCP and TLS together. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Ends with the name look-up. */
  readonly nameTurn: Disposable | undefined;
}

async function connect(
  target: EgressTarget,
  { rules, resolve }: Resolution,
  { timeoutMs, signal, nameTurn }: ConnectOptions,
): Promise<Socket> {
  const expiry = new AbortController();
  const timer = setTimeout(() => {
    expiry.abort(
      new EgressError('timeout', `No connection to ${target.hostname} within ${timeoutMs / 1000} s.`),
    );
  }, timeoutMs);
  const either = AbortSignal.any([signal, expiry.signal]);
  try {
    // The look-up goes on after a timeout, and so holds its turn until it ends.
    const resolving = resolveTarget(target, rules, resolve).finally(() => nameTurn?.[Symbol.dispose]());
    const addresses = await orAborted(resolving, either);
    return await dial(target, addresses, { timeoutMs, signal: either });
  } finally {
    clearTimeout(timer);
  }
}

function redirectLocation(request: EgressRequest, response: EgressResponse): string | undefined {
  if (!['GET', 'HEAD'].includes(request.method) || !REDIRECT_STATUSES.has(response.status)) return undefined;
  const { location } = response.headers;
  // Headers are read as Latin-1, but a Location that is not ASCII is UTF-8 in practice.
  return location === undefined ? undefined : Buffer.from(location, 'latin1').toString('utf8');
}

function lowerCased(headers: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function without(
  names: ReadonlySet<string>,
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase())));
}

function closed(): EgressError {
  return new EgressError('aborted', 'The egress is closed.');
}
