import { EgressError } from '@audiosplit/chassis/egress/egress';
import { S3ServiceException } from '@aws-sdk/client-s3';

/** Why a store does not carry out a request. */
export type StoreFault =
  /** It rejects the credentials, or their permissions are not sufficient. */
  | 'forbidden'
  /** It answers with an error: the bucket or object does not exist, or the request is invalid for it. */
  | 'refused'
  /** It is unreachable, overloaded, full or silent. */
  | 'unavailable'
  /** The egress policy forbids its address. */
  | 'forbidden-address';

/**
 * `message` is for the account's holder: the store's own message, without secrets. `cause` is for the log.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly fault: StoreFault;
  constructor(fault: StoreFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
  /** Whether a retry may succeed. */
  get retryable(): boolean {
    return this.fault === 'unavailable';
  }
}

const MAX_WORDS = 300;

/** Errors of other kinds are returned unchanged. */
export function toStoreError(error: unknown, secrets: readonly string[]): unknown {
  if (error instanceof StoreError) return error;
  const egressError = causeOf(error, EgressError);
  if (egressError !== undefined) {
    if (egressError.failure === 'aborted') return egressError;
    const isForbidden = ['invalid-url', 'forbidden-address'].includes(egressError.failure);
    const fault = isForbidden ? 'forbidden-address' : 'unavailable';
    return new StoreError(fault, `The store cannot be reached: ${egressError.message}`, { cause: error });
  }
  if (!(error instanceof S3ServiceException)) return error;
  const status = error.$metadata.httpStatusCode ?? 0;
  return new StoreError(
    faultOf(error.name, status),
    `The store answered ${wordsOf(error, status, secrets)}`,
    {
      cause: error,
    },
  );
}

/** Some stores use another status than 403 for these; versitygw has its own code for an unknown key. */
const REFUSALS = [
  ...['AccessDenied', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccountProblem'],
  'XAdminUserNotFound',
];

function faultOf(code: string, status: number): StoreFault {
  if (status === 401 || status === 403 || REFUSALS.includes(code)) return 'forbidden';
  return status >= 500 || status === 429 || status === 408 ? 'unavailable' : 'refused';
}

/** One line, such as `AccessDenied: Access Denied.`; a response without a body has a status only. */
function wordsOf({ name, message }: S3ServiceException, status: number, secrets: readonly string[]): string {
  const said = [name, message].filter(
    (word) => /[a-z]/i.test(word) && !/^(unknown|unknownerror)$/i.test(word),
  );
  let words = [`${status}`, ...new Set(said)]
    .join(' ')
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  for (const secret of secrets) words = words.replaceAll(secret, '…');
  const shown = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
  return /[.!?…]$/.test(shown) ? shown : `${shown}.`;
}

function causeOf<E extends Error>(error: unknown, type: abstract new (...args: never[]) => E): E | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (each instanceof type) return each;
  return undefined;
}
