/**
 * The calls behind the gateway, over gRPC and with the protos of the project, as another service makes them. Every service
 * answers stock gRPC clients on the port on which it answers Connect.
 */
import { check } from 'k6';
import { hmac, sha256 } from 'k6/crypto';
import { b64encode } from 'k6/encoding';
import grpc from 'k6/net/grpc';
import { type Identity, identityToken } from '../../profiles/identity-token.ts';
import { RPC_SERVICES, type RpcService } from '../../profiles/journeys.ts';
import type { RpcAccess } from '../../profiles/plan.ts';
import { RPC_TIMEOUT_MS } from '../../profiles/shapes.ts';
import { currentCaller, plan } from '../plan.ts';
import { nextJobId, type Prepared } from '../prepared.ts';

const PROTO_FOLDER = import.meta.resolve('../../../proto');
const SCOPES = ['splits:read', 'splits:write'];
const PAGE = { page: 1, limit: 20 };

const clients = new Map(
  plan.rpc === undefined ? [] : RPC_SERVICES.map((service) => [service, load(service)]),
);
/** A connection is a VU's own and lasts as long as the VU. */
const connected = new Set<RpcService>();

/** And cancels it again: what splitting costs is the other journeys' matter. */
export function rpcCreateJob(): void {
  const request = { sourceUrl: plan.sourceUrl, cut: { duration: { segmentDuration: 10 } } };
  const { job } = callAsAccount('jobs', 'CreateJob', { request }) as {
    readonly job?: { readonly id: string };
  };
  if (job !== undefined) callAsAccount('jobs', 'CancelJob', { jobId: job.id });
}

export function rpcListJobs(): void {
  callAsAccount('jobs', 'ListJobs', PAGE);
}

export function rpcReadJob(prepared: Prepared): void {
  callAsAccount('jobs', 'GetJob', { jobId: nextJobId(prepared) });
}

/** What the gateway asks about each key that it has not seen for a second. */
export function rpcVerifyKey(): void {
  const secretSha256 = sha256(currentCaller().apiKey, 'base64');
  callAsService('gateway', 'auth', 'VerifyApiKey', { secretSha256 });
}

/** Before each new job: how much its account may still split. */
export function rpcReadQuota(): void {
  callAsService('jobs', 'billing', 'GetQuota', { accountId: currentCaller().accountId });
}

export function rpcReadUsage(): void {
  callAsAccount('billing', 'GetUsage', { period: 'current' });
}

export function rpcReadAccount(): void {
  callAsAccount('account', 'GetAccount', {});
}

export function rpcReadWebhooks(): void {
  callAsAccount('webhooks', 'GetSecret', {});
  callAsAccount('webhooks', 'ListDeliveries', PAGE);
}

/** Before each new job: how large its source is, for which the splitter asks the source's host. */
export function rpcInspectSource(): void {
  callAsService('jobs', 'splitter', 'InspectSource', { sourceUrl: plan.sourceUrl });
}

function callAsService(caller: string, service: RpcService, method: string, request: object): void {
  call(service, method, request, { kind: 'service', service: caller });
}

function callAsAccount(service: RpcService, method: string, request: object): object {
  const { accountId } = currentCaller();
  return call(service, method, request, { kind: 'account', accountId, scopes: SCOPES });
}

function call(service: RpcService, method: string, request: object, identity: Identity): object {
  const { rpc } = plan;
  const client = clients.get(service);
  if (client === undefined || rpc === undefined) throw new Error('the plan has no access to services');
  if (!connected.has(service)) {
    client.connect(rpc.hosts[service], { plaintext: true });
    connected.add(service);
  }
  const name = `${serviceName(service)}/${method}`;
  const response = client.invoke(name, request, {
    metadata: { 'x-audiosplit-identity': tokenOf(rpc, identity) },
    tags: { name },
    timeout: RPC_TIMEOUT_MS,
  });
  check(response, { 'a service answers OK': ({ status }) => status === grpc.StatusOK });
  return response.message ?? {};
}

function tokenOf({ internalSecret }: RpcAccess, identity: Identity): string {
  return identityToken(identity, Date.now(), {
    base64url: (text) => b64encode(text, 'rawurl'),
    hmacSha256: (text) => hmac('sha256', internalSecret, text, 'base64rawurl'),
  });
}

/** `audiosplit.jobs.v1.JobsService` of jobs, and so on. */
function serviceName(service: RpcService): string {
  return `audiosplit.${service}.v1.${service.charAt(0).toUpperCase()}${service.slice(1)}Service`;
}

function load(service: RpcService): grpc.Client {
  const client = new grpc.Client();
  client.load([PROTO_FOLDER], `audiosplit/${service}/v1/${service}.proto`);
  return client;
}
