/**
 * Makes a service's methods answer a repeated call with the first response.
 *
 * A call with a key runs inside one transaction (`call-transaction.ts`): effect and response are committed
 * together, so neither exists without the other. A repeat gets the stored response. A repeat that arrives
 * while the first call is running is refused, and so is a key that arrives with another request, whichever
 * method of the service that request calls. Refusals are stored as responses too, unless they are temporary
 * (an overloaded or unavailable service, a limit that passes); those leave nothing behind, nor do calls that
 * fail.
 *
 * A method that must make an effect visible before it continues (an external service charges money) commits
 * early, and recognises its own repeats by `currentIdempotencyKey`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type ErrorInfo, ErrorInfoSchema, Reason } from '@audiosplit/proto/errors/v1/errors';
import type { DescService } from '@bufbuild/protobuf';
import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import { runJoined, runUnjoined } from '../postgres/joined-transaction.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { createSemaphore, type Semaphore } from '../semaphore.ts';
import { createCallTransaction, FoundAnswer } from './call-transaction.ts';
import {
  type IdempotencyKey,
  REPLAYED_HEADER,
  readIdempotencyKey,
  runWithoutIdempotencyKey,
} from './idempotency-key.ts';
import { findAnswer, type StoredAnswer } from './store.ts';

export interface IdempotencyOptions {
  readonly pool: pg.Pool;
  /** Encrypts stored responses. */
  readonly secret: string;
  readonly clock: Clock;
}

const ANSWERED = 0;
const REFUSED = 1;

const current = new AsyncLocalStorage<IdempotencyKey | undefined>();

/** The key of the running call. */
export function currentIdempotencyKey(): IdempotencyKey | undefined {
  return current.getStore();
}

type Method = (request: never, context: HandlerContext) => unknown;

/** The same implementation with idempotent unary methods. */
export function withIdempotency<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  options: IdempotencyOptions,
): ServiceImpl<S> {
  const calls = createCalls(options);
  const wrapped = Object.entries(implementation).map(([name, implemented]) => {
    const method = implemented as Method;
    const isUnary = service.methods.find(({ localName }) => localName === name)?.methodKind === 'unary';
    if (!isUnary) return [name, method];
    const once: Method = (request, context) => calls.run(context, async () => method(request, context));
    return [name, once];
  });
  return Object.fromEntries(wrapped) as ServiceImpl<S>;
}

const semaphores = new WeakMap<pg.Pool, Semaphore>();

/**
 * A call holds a connection and may need a second one, so half of them stay free for that. A service may be
 * mounted several times in one process (once per caller); its calls then share its pool.
 */
function semaphoreOf(pool: pg.Pool): Semaphore {
  const known = semaphores.get(pool);
  if (known !== undefined) return known;
  const semaphore = createSemaphore(Math.max(1, Math.floor(pool.options.max / 2)));
  semaphores.set(pool, semaphore);
  return semaphore;
}

function createCalls({ pool, secret, clock }: IdempotencyOptions) {
  const box = createSecretBox(secret, 'idempotent answers');
  const semaphore = semaphoreOf(pool);

  const contextOf = ({ scope, key }: IdempotencyKey, method: string) => `${scope}\n${key}\n${method}`;

  function open(answer: Buffer, sealedFor: string): Buffer {
    try {
      return box.open(answer, sealedFor);
    } catch (error) {
      throw new UnreadableAnswerError(error);
    }
  }

  function replay(stored: StoredAnswer, key: IdempotencyKey, context: HandlerContext): unknown {
    if (stored.method !== context.method.name || stored.fingerprint !== key.fingerprint) {
      throw new KeyReusedError();
    }
    const opened = open(stored.answer, contextOf(key, context.method.name));
    const body = opened.subarray(1);
    if (opened[0] === REFUSED) throw new ReplayedRefusal(fromBinary(ErrorInfoSchema, body));
    context.responseHeader.set(REPLAYED_HEADER, 'true');
    return fromBinary(context.method.output, body);
  }

  function seal(key: IdempotencyKey, context: HandlerContext, outcome: Outcome): Buffer | undefined {
    const bytes = encode(context.method.output, outcome);
    return bytes && box.seal(bytes, contextOf(key, context.method.name));
  }

  async function run(context: HandlerContext, work: () => Promise<unknown>): Promise<unknown> {
    const key = readIdempotencyKey(context.requestHeader);
    // In one process, a call may be made from within another service's call. It must not use that call's key
    // and transaction.
    const alone = () => runWithoutIdempotencyKey(work);
    if (key === undefined) return current.run(undefined, () => runUnjoined(alone));
    const stored = await findAnswer(pool, key, clock());
    if (stored !== undefined) return replay(stored, key, context);
    await using transaction = createCallTransaction({
      pool,
      semaphore,
      clock,
      key,
      method: context.method.name,
    });
    const outcome = await current
      .run(key, () => runJoined(transaction, alone))
      .then(
        (message): Outcome => ({ kind: 'answered', message }),
        (error: unknown): Outcome => ({ kind: 'failed', error }),
      );
    const answer = seal(key, context, outcome);
    try {
      await (answer === undefined ? transaction.giveUp() : transaction.commit(answer));
    } catch (error) {
      if (error instanceof FoundAnswer) return replay(error.stored, key, context);
      throw error;
    }
    if (outcome.kind === 'failed') throw outcome.error;
    return outcome.message;
  }

  return { run };
}

type Outcome =
  | { readonly kind: 'answered'; readonly message: unknown }
  | { readonly kind: 'failed'; readonly error: unknown };

function encode(schema: DescMessage, outcome: Outcome): Buffer | undefined {
  if (outcome.kind === 'answered') {
    const message = create(schema, outcome.message as MessageShape<DescMessage>);
    return Buffer.concat([Buffer.of(ANSWERED), toBinary(schema, message)]);
  }
  const { error } = outcome;
  if (!(error instanceof ServiceError) || isPassing(error)) return undefined;
  const { violations = [], acceptedScopes = [] } = error.details;
  const info = create(ErrorInfoSchema, {
    reason: error.reason,
    publicMessage: error.message,
    violations: violations.map(({ field, message }) => ({ field, message })),
    acceptedScopes: [...acceptedScopes],
  });
  return Buffer.concat([Buffer.of(REFUSED), toBinary(ErrorInfoSchema, info)]);
}

/** Whether an identical repeat may have another result. */
function isPassing({ reason, details }: ServiceError): boolean {
  if (details.retryAfterSeconds !== undefined) return true;
  return [
    Reason.SERVICE_UNAVAILABLE,
    Reason.NOT_IMPLEMENTED,
    Reason.INTERNAL_ERROR,
    Reason.IDEMPOTENCY_IN_PROGRESS,
    Reason.RATE_LIMITED,
    Reason.QUEUE_FULL,
  ].includes(reason);
}

class KeyReusedError extends ServiceError {
  override readonly name = 'KeyReusedError';
  constructor() {
    super(
      Reason.IDEMPOTENCY_KEY_REUSED,
      'This Idempotency-Key came with another request before; use a new key for a new request.',
    );
  }
}

/**
 * The response was altered, or sealed under a secret that the installation no longer has. Executing the call
 * again is not safe.
 */
class UnreadableAnswerError extends ServiceError {
  override readonly name = 'UnreadableAnswerError';
  constructor(cause: unknown) {
    super(
      Reason.IDEMPOTENCY_KEY_REUSED,
      'The first answer to this Idempotency-Key can no longer be given; see what became of the request, and use a new key.',
      { cause },
    );
  }
}

/** A stored refusal. */
class ReplayedRefusal extends ServiceError {
  override readonly name = 'ReplayedRefusal';
  constructor({ reason, publicMessage, violations, acceptedScopes }: ErrorInfo) {
    super(reason, publicMessage, { violations, acceptedScopes, isReplayed: true });
  }
}
