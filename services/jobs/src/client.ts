import type { Caller, RpcAddress } from '@audiosplit/chassis/rpc/client';
import { ConnectionsService } from '@audiosplit/proto/jobs/v1/connections';
import { JobLeaseService, JobsService } from '@audiosplit/proto/jobs/v1/jobs';

/** Typed clients of the jobs service, for accounts and for workers. */
export function createJobsClient(caller: Caller, address: RpcAddress) {
  return caller.client(JobsService, address);
}

export function createLeaseClient(caller: Caller, address: RpcAddress) {
  return caller.client(JobLeaseService, address);
}

export function createConnectionsClient(caller: Caller, address: RpcAddress) {
  return caller.client(ConnectionsService, address);
}
