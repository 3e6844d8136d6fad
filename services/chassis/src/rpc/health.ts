/**
 * grpc.health.v1, which connect-es does not include: Kubernetes' gRPC probes and grpc_health_probe use it.
 *
 * The empty service name is liveness: it serves as long as the process answers. `readiness` serves while
 * every check passes and the service is not draining. A named service answers like readiness. `accepting`
 * serves until the process drains, whatever the checks say: for a balancer whose replicas would otherwise all
 * become unready at once. `dependencies` covers the checks without the draining, for a caller whose own
 * readiness includes the service's: if it is still connected to an old process that drains, this says nothing
 * about the new one.
 *
 * A check covers what every call needs. What a service can do without for a while is not checked: all
 * replicas share it, so an outage of it would take them all out of rotation and become a total outage
 * (docs/degradation.md).
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Health, HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { reasonOf } from '../secrets/certificate-faults.ts';

interface HealthChecks {
  readonly [name: string]: () => Promise<unknown>;
}

export interface ServiceHealth {
  readonly routes: (router: ConnectRouter) => void;
  /** Names of failing checks with the reason; empty when ready. */
  problems(): Promise<Record<string, string>>;
  /** From now on not ready, but alive. */
  drain(): void;
}

export const READINESS = 'readiness';
export const ACCEPTING = 'accepting';
export const DEPENDENCIES = 'dependencies';
const WATCH_INTERVAL_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;

/**
 * `details` are additional names for conditions that do not affect readiness: each serves while its condition
 * holds.
 */
export function createHealth(
  services: readonly DescService[],
  checks: HealthChecks,
  details: Readonly<Record<string, () => boolean>> = {},
): ServiceHealth {
  const names = new Set(services.map((service) => service.typeName));
  let draining = false;

  const failingChecks = async () => {
    const found: Record<string, string> = {};
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withTimeout(check());
        } catch (error) {
          found[name] = reasonOf(error);
        }
      }),
    );
    return found;
  };
  const problems = async () => ({ ...(draining ? { process: 'draining' } : {}), ...(await failingChecks()) });
  const statusOf = async (service: string): Promise<Status> => {
    if (service === '') return Status.SERVING;
    if (service === ACCEPTING) return draining ? Status.NOT_SERVING : Status.SERVING;
    const detail = details[service];
    if (detail !== undefined) return detail() ? Status.SERVING : Status.NOT_SERVING;
    const isKnown = service === READINESS || service === DEPENDENCIES || names.has(service);
    if (!isKnown) return Status.SERVICE_UNKNOWN;
    const amiss = service === DEPENDENCIES ? await failingChecks() : await problems();
    return Object.keys(amiss).length === 0 ? Status.SERVING : Status.NOT_SERVING;
  };

  return {
    problems,
    drain() {
      draining = true;
    },
    routes: (router) =>
      router.service(Health, {
        async check({ service }) {
          const status = await statusOf(service);
          if (status === Status.SERVICE_UNKNOWN) throw new ConnectError('unknown service', Code.NotFound);
          return { status };
        },
        async *watch({ service }, context) {
          let last: Status | undefined;
          while (!context.signal.aborted) {
            const status = await statusOf(service);
            if (status !== last) yield { status };
            last = status;
            await sleep(WATCH_INTERVAL_MS, undefined, { signal: context.signal }).catch(() => undefined);
          }
        },
      }),
  };
}

async function withTimeout(check: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([check, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
