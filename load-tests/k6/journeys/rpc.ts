/**
 * The calls behind the gateway, over gRPC and with the project's protos, as another service makes them. Every
 * service accepts stock gRPC clients on its Connect port.
 */
import { check } from 'k6';
import { sha256 } from 'k6/crypto';
import grpc from 'k6/net/grpc';
import { RPC_SERVICES, type RpcService } from '../../profiles/journeys.ts';
import { RPC_TIMEOUT_MS } from '../../profiles/shapes.ts';
import { currentCaller, plan } from '../plan.ts';
import { nextJobId, type Prepared } from '../prepared.ts';

const PROTO_FOLDER = import.meta.resolve('../../../proto');
const PAGE = { page: 1, limit: 20 };

const clients = new Map(
  plan.rpc === undefined ? [] : RPC_SERVICES.map((service) => [service, load(service)]),
);
/** A connection belongs to a VU and lasts as long as the VU. */
const connected = new Set<RpcService>();

/** Cancels it again: the other journeys measure the cost of splitting. */
export function rpcCreateJob(): void {
  const request = { sourceUrl: plan.sourceUrl, cut: { duration: { segmentDuration: 10 } } };
  const { job } = call('jobs', 'CreateJob', { request }) as {
    readonly job?: { readonly id: string };
  };
  if (job !== undefined) call('jobs', 'CancelJob', { jobId: job.id });
}

export function rpcListJobs(): void {
  call('jobs', 'ListJobs', PAGE);
}

export function rpcReadJob(prepared: Prepared): void {
  call('jobs', 'GetJob', { jobId: nextJobId(prepared) });
}

/** The gateway's call for each key that it has not seen for a second. */
export function rpcVerifyKey(): void {
  const secretSha256 = sha256(currentCaller().apiKey, 'base64');
  call('auth', 'VerifyApiKey', { secretSha256 });
}

/** The call before each new job that reads how much its account may still split. */
export function rpcReadQuota(): void {
  call('billing', 'GetQuota', { accountId: currentCaller().accountId });
}

export function rpcReadUsage(): void {
  call('billing', 'GetUsage', { period: 'current' });
}

export function rpcReadAccount(): void {
  call('account', 'GetAccount', {});
}

export function rpcReadWebhooks(): void {
  call('webhooks', 'GetSecret', {});
  call('webhooks', 'ListDeliveries', PAGE);
}

/**
 * The call before each new job that reads the size of its source, for which the splitter queries the source's
 * host.
 */
export function rpcInspectSource(): void {
  call('splitter', 'InspectSource', { sourceUrl: plan.sourceUrl });
}

function call(service: RpcService, method: string, request: object): object {
  const { rpc } = plan;
  const client = clients.get(service);
  if (client === undefined || rpc === undefined) throw new Error('the plan has no access to services');
  if (!connected.has(service)) {
    client.connect(rpc.hosts[service], { plaintext: true });
    connected.add(service);
  }
  const name = `${serviceName(service)}/${method}`;
  const token = rpc.tokens[name];
  if (token === undefined) throw new Error(`the plan has no token for ${name}`);
  const response = client.invoke(name, request, {
    metadata: { authorization: `Bearer ${token}` },
    tags: { name },
    timeout: RPC_TIMEOUT_MS,
  });
  check(response, { 'a service answers OK': ({ status }) => status === grpc.StatusOK });
  return response.message ?? {};
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
