/**
 * The calls behind the gateway, over gRPC and with the protos of the project, as another service makes them. Every service
 * answers stock gRPC clients on the port on which it answers Connect.
 */
import { check } from 'k6';
import { hmac, sha256 } from 'k6/crypto';
import { b64encode } from 'k6/encoding';
import grpc from 'k6/net/grpc';
import { type Identity, identityToken } from '../../profiles/identity-token.ts';
import type { RpcAccess } from '../../profiles/plan.ts';
import { currentCaller, plan } from '../plan.ts';
import { nextJobId, type Prepared } from './prepared.ts';

const PROTO_FOLDER = import.meta.resolve('../../../proto');
const JOBS = 'audiosplit.jobs.v1.JobsService';
const AUTH = 'audiosplit.auth.v1.AuthService';
const SCOPES = ['splits:read', 'splits:write'];

const clients = plan.rpc === undefined ? undefined : { jobs: load('jobs'), auth: load('auth') };
/** A connection is a VU's own and lasts as long as the VU. */
const connected = new Set<string>();

/** And cancels it again: what splitting costs is the other journeys' matter. */
export function rpcCreateJob(): void {
  const request = { sourceUrl: plan.sourceUrl, mode: 'SPLIT_MODE_DURATION', segmentDurationSeconds: 10 };
  const { job } = callJobs('CreateJob', { request }) as { readonly job?: { readonly id: string } };
  if (job !== undefined) callJobs('CancelJob', { jobId: job.id });
}

export function rpcListJobs(): void {
  callJobs('ListJobs', { page: 1, limit: 20 });
}

export function rpcReadJob(prepared: Prepared): void {
  callJobs('GetJob', { jobId: nextJobId(prepared) });
}

/** What the gateway asks about each key that it has not seen for a second. */
export function rpcVerifyKey(): void {
  const secretSha256 = sha256(currentCaller().apiKey, 'base64');
  call('auth', `${AUTH}/VerifyApiKey`, { secretSha256 }, { kind: 'service', service: 'gateway' });
}

function callJobs(method: string, request: object): object {
  const { accountId } = currentCaller();
  return call('jobs', `${JOBS}/${method}`, request, { kind: 'account', accountId, scopes: SCOPES });
}

function call(service: 'jobs' | 'auth', method: string, request: object, identity: Identity): object {
  const { rpc } = plan;
  if (clients === undefined || rpc === undefined) throw new Error('the plan has no access to services');
  const client = clients[service];
  if (!connected.has(service)) {
    client.connect(rpc[service], { plaintext: true });
    connected.add(service);
  }
  const response = client.invoke(method, request, {
    metadata: { 'x-audiosplit-identity': tokenOf(rpc, identity) },
    tags: { name: method },
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

function load(service: string): grpc.Client {
  const client = new grpc.Client();
  client.load([PROTO_FOLDER], `audiosplit/${service}/v1/${service}.proto`);
  return client;
}
