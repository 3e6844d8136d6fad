/**
 * Reads configuration out of an environment, as a pure function. A wrong value is a ConfigError that names
 * the variable, the value and what is allowed, in one line.
 */
import { secretValues } from '../secrets/secret-values.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;
  constructor(variable: string, value: string | undefined, allowed: string) {
    const given = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}`;
    super(`${variable} ${given}; allowed: ${allowed}`);
    this.variable = variable;
  }
}

/** An empty variable counts as unset, as shells and charts make it hard to tell them apart. */
export function optionalText(env: Env, variable: string): string | undefined {
  const value = env[variable]?.trim();
  return value === '' ? undefined : value;
}

export function text(env: Env, variable: string, fallback: string): string {
  return optionalText(env, variable) ?? fallback;
}

/** A secret shorter than its HMAC's output would be the weakest part of it. */
export const MIN_SECRET_BYTES = 32;

/** For secrets, of one value or several (secret-values.ts): each at least `minBytes` long; never shown in the error. */
export function secret(env: Env, variable: string, minBytes: number): string {
  const value = optionalText(env, variable);
  if (value === undefined || secretValues(value).some((each) => Buffer.byteLength(each) < minBytes)) {
    throw new ConfigError(
      variable,
      value === undefined ? undefined : '(hidden)',
      `a secret of at least ${minBytes} bytes, or several, a line each`,
    );
  }
  return value;
}

export function integer(env: Env, variable: string, fallback: number, min: number, max: number): number {
  const value = optionalText(env, variable);
  if (value === undefined) return fallback;
  const number = Number(value);
  if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number) || number < min || number > max) {
    throw new ConfigError(variable, value, `a whole number from ${min} to ${max}`);
  }
  return number;
}

export function oneOf<const T extends string>(
  env: Env,
  variable: string,
  allowed: readonly T[],
  fallback: T,
): T {
  const value = optionalText(env, variable);
  if (value === undefined) return fallback;
  const match = allowed.find((option) => option === value);
  if (match === undefined) throw new ConfigError(variable, value, allowed.join(', '));
  return match;
}

/**
 * For showing what is a URL or was meant to be one: nothing up to its last @, as a password that is not encoded may hold any
 * character, and no values of its query.
 */
export function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@').replace(/(?<=[?&][^=&]*=)[^&]+/g, '…');
}

/** A URL of one of the schemes, given without colon. Credentials in it are hidden in the error. */
export function optionalUrl(env: Env, variable: string, schemes: readonly string[]): URL | undefined {
  const value = optionalText(env, variable);
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !schemes.includes(url.protocol.slice(0, -1))) {
    throw new ConfigError(
      variable,
      withoutCredentials(value),
      `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`,
    );
  }
  return url;
}

export function requiredUrl(env: Env, variable: string, schemes: readonly string[]): URL {
  const url = optionalUrl(env, variable, schemes);
  if (url === undefined) {
    throw new ConfigError(
      variable,
      undefined,
      `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`,
    );
  }
  return url;
}

/** `host:port` pairs, separated by commas. */
export function optionalHostPorts(env: Env, variable: string): readonly string[] | undefined {
  const value = optionalText(env, variable);
  if (value === undefined) return undefined;
  const brokers = value.split(',').map((part) => part.trim());
  if (brokers.some((broker) => !/^[^\s:/@]+:\d{1,5}$/.test(broker))) {
    throw new ConfigError(variable, withoutCredentials(value), 'host:port, several separated by commas');
  }
  return brokers;
}

export function list(env: Env, variable: string): readonly string[] {
  return (optionalText(env, variable) ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
