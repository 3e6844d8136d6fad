export type Env = Readonly<Record<string, string | undefined>>;

/** A wrong value, in one line: the variable, its value, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly variable: string;
  constructor(variable: string, value: string | undefined, allowed: string) {
    const given = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}`;
    super(`${variable} ${given}; allowed: ${allowed}`);
    this.variable = variable;
  }
}

/**
 * Shows a URL, or what was meant to be one, without its secrets: nothing up to the last @, as a password that is not
 * encoded may hold any character, and no values of its query.
 */
export function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@').replace(/(?<=[?&][^=&]*=)[^&]+/g, '…');
}
