/** `AUTH_RPC_URL` for auth, and so on: the addresses of the services that a process calls. */
import { type RpcAddress, remoteAddress } from '../rpc/client.ts';
import type { Env } from './env.ts';
import { readSetting, type Setting, url } from './settings.ts';

type Variable<S extends string> = `${Uppercase<S>}_RPC_URL`;

export function rpcUrlVariable<const S extends string>(service: S): Variable<S> {
  return `${service.toUpperCase() as Uppercase<S>}_RPC_URL`;
}

export function rpcUrlSettings<const S extends string>(
  services: readonly S[],
): Readonly<Record<Variable<S>, Setting<URL>>> {
  const settings = services.map((service) => [rpcUrlVariable(service), rpcUrl(service)]);
  return Object.fromEntries(settings);
}

function rpcUrl(service: string): Setting<URL> {
  return url(['http', 'https'], { what: `address of ${service}, \`http://host:port\``, isRequired: true });
}

/** Throws ConfigError. */
export function addressFromEnv(env: Env, service: string): RpcAddress {
  return remoteAddress(readSetting(rpcUrlVariable(service), rpcUrl(service), env).href);
}
