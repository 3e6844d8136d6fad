/** Something has to be installed or freed by the user; the message is one line that says what. */
export class ProvisionError extends Error {
  override readonly name = 'ProvisionError';
}
