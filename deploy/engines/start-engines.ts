import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lockState } from '../provision/lock.ts';
import { terminate } from '../provision/process-identity.ts';
import type { Report } from '../provision/progress.ts';
import {
  type EndpointKeys,
  type EngineEndpoints,
  type EngineName,
  engineNames,
  type ProxiedListener,
  type SecuredListener,
} from './engine.ts';
import { engines } from './engine-catalog.ts';
import { endpointsOf, readState, writeState } from './engines-state.ts';
import { environmentOf, renderEnvFile } from './environment.ts';
import { startEngine, stopGraceMs } from './start-engine.ts';

export interface StartOptions<Name extends EngineName> {
  /** The state folder; created if missing. */
  readonly dir: string;
  /** The engines to start; default: all. Others that are running are left running. */
  readonly only?: readonly Name[];
  /** A second listener for the started engines, kept over restarts. */
  readonly proxied?: Partial<Record<EngineName, ProxiedListener>> | undefined;
  /** TLS for the started engines, kept over restarts. */
  readonly secured?: Partial<Record<EngineName, SecuredListener>> | undefined;
  /**
   * Whether the started engines restrict each process to the permissions in access.ts; kept over restarts.
   */
  readonly restricted?: boolean;
  /** Aborting stops the engines that this call has started. */
  readonly signal?: AbortSignal;
  readonly report?: Report;
}

/**
 * Starts the engines concurrently, verifies each by a real request, and resolves with their endpoints.
 *
 * They outlive the calling process: stop them with `stopEngines`. Idempotent: healthy engines are left alone.
 * If one fails, those that this call started are stopped. Throws EngineStartError, ProvisionError (something
 * must be installed first, or another start is running in the same folder), or the signal's reason.
 */
export async function startEngines<Name extends EngineName = EngineName>(
  options: StartOptions<Name>,
): Promise<Pick<EngineEndpoints, EndpointKeys[Name]>> {
  const { only = engineNames, signal, report = () => {} } = options;
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  await using _lock = await lockState(dir);

  const state = readState(dir);
  const spawned = new Set<EngineName>();
  const failed = new AbortController();
  const startSignal = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;

  await Promise.allSettled(
    only.map((name) =>
      startEngine({
        engine: engines[name],
        dir,
        previous: state[name],
        proxied: options.proxied?.[name],
        secured: options.secured?.[name],
        restricted: options.restricted,
        signal: startSignal,
        report,
        onChange: (record) => {
          if (record.process) spawned.add(name);
          state[name] = record;
          writeState(dir, state);
        },
      }).catch((error: unknown) => failed.abort(error)),
    ),
  );

  if (startSignal.aborted) {
    const stopping = [...spawned].map(async (name) => {
      const record = state[name];
      if (!record?.process) return;
      report(name, await terminate(record.process, engines[name].stopSignal, stopGraceMs));
      state[name] = { ...record, process: null };
    });
    await Promise.all(stopping);
    writeState(dir, state);
    throw startSignal.reason;
  }
  const endpoints = endpointsOf(state);
  writeFileSync(join(dir, 'engines.env'), renderEnvFile(environmentOf(endpoints)), { mode: 0o600 });
  // Every engine in `only` is up here, and with it the endpoints that EndpointKeys names for it.
  return endpoints as Pick<EngineEndpoints, EndpointKeys[Name]>;
}
