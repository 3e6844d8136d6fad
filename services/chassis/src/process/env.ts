export type Env = Readonly<Record<string, string | undefined>>;

/** An invalid value, in one line: the variable, its value, and the allowed values. */
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
 * Shows a URL, or text intended as one, without its secrets: without everything up to the last @, because an
 * unencoded password may contain any character, and without the values of its query.
 */
export function withoutCredentials(value: string): string {
  return value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@').replace(/(?<=[?&][^=&]*=)[^&]+/g, '…');
}
