/**
 * Makes the methods of a service answer a repeated call with the first answer.
 *
 * A call with a key runs inside one transaction (`joined-transaction.ts`): the effect and the answer are written
 * together, so that there is never one without the other. A repeat finds the answer; one that comes while the first
 * is still at work is told so; a key that comes with another request is refused. Refusals are answers too, unless they
 * are a matter of time (an overloaded or unavailable service, a limit that will pass): those leave nothing behind.
 *
 * A method that must be seen to have done something before it goes on (money is charged from elsewhere) commits that
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
import { type JoinedTransaction, runJoined, runUnjoined } from '../postgres/joined-transaction.ts';
import { createSecretBox } from '../secret-box.ts';
import { type IdempotencyKey, REPLAYED_HEADER, readIdempotencyKey } from './idempotency-key.ts';
import { createSlots, type Slots } from './slots.ts';
import { findAnswer, keepAnswer, type StoredAnswer, tryLockKey } from './store.ts';

export interface OnceOptions {
  readonly pool: pg.Pool;
  readonly internalSecret: string;
  readonly clock: Clock;
}

const LIFETIME_MS = 24 * 3_600_000;
const ANSWERED = 0;
const REFUSED = 1;

const current = new AsyncLocalStorage<IdempotencyKey | undefined>();

/** That of the running call. */
export function currentIdempotencyKey(): IdempotencyKey | undefined {
  return current.getStore();
}

type Method = (request: never, context: HandlerContext) => unknown;

/** The same implementation, for unary methods of a service. */
export function onceEach<S extends DescService>(
  service: S,
  implementation: ServiceImpl<S>,
  options: OnceOptions,
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

function createCalls({ pool, internalSecret, clock }: OnceOptions) {
  const box = createSecretBox(internalSecret, 'idempotent answers');
  // A call holds a connection and may need a second one: half of them must stay for that.
  const slots: Slots = createSlots(Math.max(1, Math.floor(pool.options.max / 2)));

  const contextOf = ({ scope, key }: IdempotencyKey, method: string) => `${scope}\n${key}\n${method}`;

  function replay(stored: StoredAnswer, key: IdempotencyKey, context: HandlerContext): unknown {
    if (stored.fingerprint !== key.fingerprint) throw new KeyReusedError();
    const opened = box.open(stored.answer, contextOf(key, context.method.name));
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
    // In one process a call may be made from within another service's.
    if (key === undefined) return current.run(undefined, () => runUnjoined(work));
    const stored = await findAnswer(pool, key, context.method.name, clock());
    if (stored !== undefined) return replay(stored, key, context);
    await using _slot = await slots.take();
    await using transaction = createCallTransaction(pool, key, context.method.name, clock);
    const outcome = await current
      .run(key, () => runJoined(transaction, work))
      .then(
        (message): Outcome => ({ kind: 'answered', message }),
        (error: unknown): Outcome => ({ kind: 'failed', error }),
      );
    try {
      if (outcome.kind === 'failed' && outcome.error instanceof FoundAnswer) throw outcome.error;
      await transaction.commit(seal(key, context, outcome));
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

/** Whether a repeat may end otherwise, although nothing about the request is different. */
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

interface CallTransaction extends JoinedTransaction, AsyncDisposable {
  /** Keeps the answer, if there is one to keep, and makes the effects visible. */
  commit(answer: Buffer | undefined): Promise<void>;
}

function createCallTransaction(
  pool: pg.Pool,
  key: IdempotencyKey,
  method: string,
  clock: Clock,
): CallTransaction {
  let client: pg.PoolClient | undefined;
  let actions: (() => void)[] = [];

  async function begun(): Promise<pg.PoolClient> {
    if (client !== undefined) return client;
    client = await pool.connect();
    await client.query('begin');
    if (!(await tryLockKey(client, key, method))) throw new KeyInProgressError();
    const stored = await findAnswer(client, key, method, clock());
    if (stored !== undefined) throw new FoundAnswer(stored);
    return client;
  }

  async function end(): Promise<void> {
    if (client !== undefined) {
      await client.query('commit');
      client.release();
      client = undefined;
    }
    const committed = actions;
    actions = [];
    for (const action of committed) action();
  }

  return {
    pool,
    async join(work) {
      const connection = await begun();
      await connection.query('savepoint joined');
      try {
        const result = await work(connection);
        await connection.query('release savepoint joined');
        return result;
      } catch (error) {
        await connection.query('rollback to savepoint joined');
        throw error;
      }
    },
    afterCommit(action) {
      actions.push(action);
    },
    commitEarly: end,
    async commit(answer) {
      if (answer !== undefined) {
        const now = clock();
        const expiresAt = new Date(now.getTime() + LIFETIME_MS);
        await keepAnswer(await begun(), key, method, answer, now, expiresAt);
      }
      await end();
    },
    async [Symbol.asyncDispose]() {
      if (client === undefined) return;
      let isBroken = false;
      await client.query('rollback').catch(() => {
        isBroken = true;
      });
      client.release(isBroken);
    },
  };
}

/** Somebody else was faster: not an error, and never leaves this file. */
class FoundAnswer extends Error {
  readonly stored: StoredAnswer;
  constructor(stored: StoredAnswer) {
    super('the call has been answered meanwhile');
    this.stored = stored;
  }
}

export class KeyReusedError extends ServiceError {
  override readonly name = 'KeyReusedError';
  constructor() {
    super(
      Reason.IDEMPOTENCY_KEY_REUSED,
      'This Idempotency-Key came with another request before; use a new key for a new request.',
    );
  }
}

export class KeyInProgressError extends ServiceError {
  override readonly name = 'KeyInProgressError';
  constructor() {
    super(
      Reason.IDEMPOTENCY_IN_PROGRESS,
      'The first request with this Idempotency-Key is still being worked on; repeat this one shortly.',
    );
  }
}

/** What a call was refused with before. */
class ReplayedRefusal extends ServiceError {
  override readonly name = 'ReplayedRefusal';
  constructor({ reason, publicMessage, violations, acceptedScopes }: ErrorInfo) {
    super(reason, publicMessage, { violations, acceptedScopes, isReplayed: true });
  }
}
