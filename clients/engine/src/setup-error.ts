/** The host lacks something that the engine needs. The message says which variable to set, and to what. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
  readonly variable: string;
  readonly value: string | undefined;
  readonly allowed: string;
  constructor(variable: string, value: string | undefined, allowed: string) {
    const given = value === undefined ? 'is not set' : `is ${JSON.stringify(value)}`;
    super(`${variable} ${given}; allowed: ${allowed}`);
    this.variable = variable;
    this.value = value;
    this.allowed = allowed;
  }
}
