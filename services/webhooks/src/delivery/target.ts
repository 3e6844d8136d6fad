import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { InvalidParamsError } from '@audiosplit/chassis/errors';

const MAX_URL_CHARACTERS = 2_048;

/** Name and port. */
export function hostOf(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  return `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`;
}

interface TargetCheck {
  /** The field named in the error. */
  readonly field: string;
  readonly accountId: string;
  readonly url: string;
  readonly timeoutMs: number;
}

/**
 * Throws InvalidParamsError if the target is known to be unreachable. A name that does not resolve within
 * `timeoutMs` is accepted for https, because every attempt checks the address again; plain http requires an
 * address inside the operator's blocks, and therefore a resolved one.
 */
export async function checkTarget(
  egress: GuardedEgress,
  { field, accountId, url, timeoutMs }: TargetCheck,
): Promise<void> {
  const invalid = (message: string) => new InvalidParamsError(field, message);
  if (url.length > MAX_URL_CHARACTERS) throw invalid(`must have at most ${MAX_URL_CHARACTERS} characters`);
  try {
    await egress.check(url, { accountId, signal: AbortSignal.timeout(timeoutMs) });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (isKnownToBeRefused(error)) throw invalid(error.message);
    if (URL.parse(url)?.protocol === 'http:') throw invalid(`${error.message} Use https.`);
  }
}

function isKnownToBeRefused({ failure }: EgressError): boolean {
  return failure === 'invalid-url' || failure === 'forbidden-address';
}
