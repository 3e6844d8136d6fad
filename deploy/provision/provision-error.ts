/** The user must install or free something; the message is one line that says what. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
}
