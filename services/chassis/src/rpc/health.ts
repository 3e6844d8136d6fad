/**
 * grpc.health.v1, which connect-es does not ship: Kubernetes' own gRPC probes and grpc_health_probe speak it.
 *
 * The empty service name is liveness: it serves as long as the process answers. `readiness` serves while
 * every check passes and the service is not draining. A named service answers as readiness does.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { Health, HealthCheckResponse_ServingStatus as Status } from '@audiosplit/proto/grpc/health/v1/health';
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { messageOf } from '../errors.ts';

export interface HealthChecks {
  readonly [name: string]: () => Promise<unknown>;
}

export interface ServiceHealth {
  readonly routes: (router: ConnectRouter) => void;
  /** Names of what is amiss, with the reason; empty when ready. */
  problems(): Promise<Record<string, string>>;
  /** From now on not ready, though alive. */
  drain(): void;
}

export const READINESS = 'readiness';
const WATCH_INTERVAL_MS = 1_000;
const CHECK_TIMEOUT_MS = 2_000;

export function createHealth(services: readonly DescService[], checks: HealthChecks): ServiceHealth {
  const names = new Set(services.map((service) => service.typeName));
  let draining = false;

  const problems = async () => {
    const found: Record<string, string> = draining ? { process: 'draining' } : {};
    await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await withTimeout(check());
        } catch (error) {
          found[name] = messageOf(error);
        }
      }),
    );
    return found;
  };
  const statusOf = async (service: string): Promise<Status> => {
    if (service === '') return Status.SERVING;
    if (service !== READINESS && !names.has(service)) return Status.SERVICE_UNKNOWN;
    return Object.keys(await problems()).length === 0 ? Status.SERVING : Status.NOT_SERVING;
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
