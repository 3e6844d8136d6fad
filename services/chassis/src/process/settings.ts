/**
 * Environment variables declared as tables. A table parses an environment into typed values, and
 * docs/configuration.md is generated from it. A setting that is neither required nor has a default is
 * undefined if its variable is not set.
 */
import { messageOf } from '../errors.ts';
import { secretValues } from '../secrets/secret-values.ts';
import { ConfigError, type Env, withoutCredentials } from './env.ts';

export interface Description {
  /** Description for docs/configuration.md. */
  readonly what: string;
  readonly default?: string | number;
  /** Shown instead of a default that depends on the machine, or for a variable without a default. */
  readonly shownDefault?: string;
  readonly isRequired?: true;
  /**
   * Errors do not show it, or only without credentials if it is a URL; the chart takes it from a Secret. Can
   * be given as a file (secret-files.ts).
   */
  readonly isSecret?: true;
  /** Can be given as a file although it is not secret. */
  readonly mayBeFile?: true;
  /** The chart's value for it. Without one, a component's `env` sets the variable. */
  readonly chart?: string;
  /** For a setting that bounds what callers may use: its row in docs/limits.md. */
  readonly bound?: Bound;
}

export interface Bound {
  /** The metric of its usage. */
  readonly metric: string;
  /** What happens to a caller beyond it. */
  readonly beyond: string;
}

export type Refuse = (allowed: string) => ConfigError;

interface Form<T> {
  /** Completes the sentence "allowed: …". */
  readonly allowed: string;
  /** Parses a trimmed, non-empty value. Throws ConfigError, or any error whose message gives the reason. */
  readonly parse: (value: string, refuse: Refuse) => T;
  /** How an error shows a value that is not secret. */
  readonly show?: (value: string) => string;
}

export interface Setting<T> extends Description, Form<T> {}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<S extends Settings> = {
  readonly [N in keyof S]: S[N] extends Setting<infer T> ? T : never;
};

type Absent<D extends Description> = D extends
  | { readonly default: string | number }
  | { readonly isRequired: true }
  ? never
  : undefined;

/** Throws ConfigError. */
export function readSettings<S extends Settings>(settings: S, env: Env): ValuesOf<S> {
  const values = Object.entries(settings).map(([name, setting]) => [name, readSetting(name, setting, env)]);
  return Object.fromEntries(values) as ValuesOf<S>;
}

/** For a setting that is required because of another one. */
export function missing<S extends Settings>(settings: S, name: keyof S & string): ConfigError {
  return new ConfigError(name, undefined, settings[name]?.allowed ?? '');
}

/** An empty variable counts as unset, because shells and charts hardly distinguish the two. */
export function isSet(env: Env, name: string): boolean {
  return (env[name]?.trim() ?? '') !== '';
}

/** Throws ConfigError. */
export function readSetting<T>(name: string, setting: Setting<T>, env: Env): T {
  const given = isSet(env, name) ? env[name]?.trim() : setting.default?.toString();
  if (given === undefined) {
    if (setting.isRequired) throw new ConfigError(name, undefined, setting.allowed);
    return undefined as T;
  }
  const shown =
    setting.isSecret && setting.show === undefined ? '(hidden)' : (setting.show?.(given) ?? given);
  const refuse = (allowed: string) => new ConfigError(name, shown, allowed);
  try {
    return setting.parse(given, refuse);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw refuse(`${setting.allowed} (${messageOf(error)})`);
  }
}

/** The same setting, but optional. */
export function optional<T>({ isRequired: _, ...setting }: Setting<T>): Setting<T | undefined> {
  return setting;
}

/** The same setting, but required. */
export function required<T>(setting: Setting<T>): Setting<Exclude<T, undefined>> {
  return { ...setting, isRequired: true } as Setting<Exclude<T, undefined>>;
}

export function withDefault<T>(setting: Setting<T>, value: string): Setting<Exclude<T, undefined>> {
  return { ...setting, default: value } as Setting<Exclude<T, undefined>>;
}

/** A setting with a form of its own. */
export function parsed<T, const D extends Description>(about: D, form: Form<T>): Setting<T | Absent<D>> {
  return { ...about, ...form };
}

export function text<const D extends Description>(about: D): Setting<string | Absent<D>> {
  return parsed(about, { allowed: 'a text', parse: (value) => value });
}

export interface Range {
  readonly min: number;
  readonly max: number;
}

export function integer<const D extends Description & Range>(about: D): Setting<number | Absent<D>> & Range {
  const { min, max } = about;
  const form: Form<number> = {
    allowed: `a whole number from ${min} to ${max}`,
    parse(value, refuse) {
      const number = Number(value);
      if (/^-?\d+$/.test(value) && Number.isSafeInteger(number) && number >= min && number <= max)
        return number;
      throw refuse(form.allowed);
    },
  };
  return { ...parsed(about, form), min, max };
}

export function port<const D extends Description>(about: D): Setting<number | Absent<D>> & Range {
  return integer({ ...about, min: 0, max: 65_535 });
}

export function oneOf<const T extends string, const D extends Description & { readonly default?: T }>(
  options: readonly T[],
  about: D,
): Setting<T | Absent<D>> {
  const allowed = options.join(', ');
  return parsed(about, {
    allowed,
    parse(value, refuse) {
      const match = options.find((option) => option === value);
      if (match === undefined) throw refuse(allowed);
      return match;
    },
  });
}

export function flag(about: Description & { readonly default: 'true' | 'false' }): Setting<boolean> {
  const { allowed, parse } = oneOf(['true', 'false'], about);
  return parsed(about, { allowed, parse: (value, refuse) => parse(value, refuse) === 'true' });
}

/** A URL of one of the schemes, given without colon. Credentials in it are hidden in the error. */
export function url<const D extends Description>(
  schemes: readonly string[],
  about: D,
): Setting<URL | Absent<D>> {
  const allowed = `a URL that begins with ${schemes.map((scheme) => `${scheme}:`).join(' or ')}`;
  return parsed(about, {
    allowed,
    show: withoutCredentials,
    parse(value, refuse) {
      const parsedUrl = URL.parse(value);
      if (parsedUrl === null || !schemes.includes(parsedUrl.protocol.slice(0, -1))) throw refuse(allowed);
      return parsedUrl;
    },
  });
}

/** `host:port` pairs, separated by commas. */
export function hostPorts<const D extends Description>(about: D): Setting<readonly string[] | Absent<D>> {
  const allowed = 'host:port, several separated by commas';
  return parsed(about, {
    allowed,
    show: withoutCredentials,
    parse(value, refuse) {
      const pairs = value.split(',').map((pair) => pair.trim());
      if (pairs.some((pair) => !/^[^\s:/@]+:\d{1,5}$/.test(pair))) throw refuse(allowed);
      return pairs;
    },
  });
}

/** Items separated by commas; none by default. */
export function list<T = string>(
  about: Description,
  {
    allowed,
    parse,
  }: { readonly allowed: string; readonly parse: (items: readonly string[]) => readonly T[] },
): Setting<readonly T[]> {
  const itemsOf = (value: string) => value.split(',').map((item) => item.trim());
  return parsed(
    { ...about, default: '' },
    { allowed, parse: (value) => parse(itemsOf(value).filter((item) => item !== '')) },
  );
}

/** A secret shorter than the HMAC's output would be its weakest part. */
export const MIN_SECRET_BYTES = 32;

/** A secret of one value or of several (secret-values.ts). */
export function secret(about: Description): Setting<string> {
  const allowed = `a secret of at least ${MIN_SECRET_BYTES} bytes, or several, a line each`;
  return parsed(
    { ...about, isRequired: true, isSecret: true },
    {
      allowed,
      parse(value, refuse) {
        if (secretValues(value).some((each) => Buffer.byteLength(each) < MIN_SECRET_BYTES))
          throw refuse(allowed);
        return value;
      },
    },
  );
}
