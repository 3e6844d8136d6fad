/**
 * Errors on their way out of an engine thread. Structured cloning would drop their classes, and fail on
 * properties that cannot be cloned. Here a `MediaError` stays one, an error of the host stays the same
 * object, and any other keeps its name, message, stack, plain properties and causes for the log.
 */
import { MediaError, type MediaFailure } from '@audiosplit/engine/media-error';

export type PackedError =
  | { readonly kind: 'host'; readonly errorId: number }
  | ({ readonly kind: 'media'; readonly failure: MediaFailure; readonly isAttack: boolean } & PackedText)
  | ({ readonly kind: 'other'; readonly details: PlainProperties } & PackedText)
  | { readonly kind: 'value'; readonly text: string };

interface PackedText {
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: PackedError | undefined;
}

type PlainProperties = Readonly<Record<string, string | number | boolean | null>>;

/** Stands in the thread for an error that arose on the host. */
export class HostError extends Error {
  override readonly name = 'HostError';
  readonly errorId: number;
  constructor(errorId: number) {
    super(`error ${errorId} of the host`);
    this.errorId = errorId;
  }
}

/** Against causes that form a ring. */
const MAX_CAUSES = 8;

export function packError(error: unknown, depth = 0): PackedError {
  if (error instanceof HostError) return { kind: 'host', errorId: error.errorId };
  if (!(error instanceof Error)) return { kind: 'value', text: String(error) };
  const hasCause = error.cause !== undefined && depth < MAX_CAUSES;
  const text: PackedText = {
    message: error.message,
    stack: error.stack,
    cause: hasCause ? packError(error.cause, depth + 1) : undefined,
  };
  if (error instanceof MediaError) {
    const { failure, isAttack } = error;
    return { kind: 'media', failure, isAttack, ...text };
  }
  return { kind: 'other', details: { name: error.name, ...plainProperties(error) }, ...text };
}

/** `hostError` finds the error that was sent into the thread under a number. */
export function unpackError(packed: PackedError, hostError: (errorId: number) => unknown): unknown {
  switch (packed.kind) {
    case 'host':
      return hostError(packed.errorId);
    case 'value':
      return new Error(packed.text);
    case 'media':
    case 'other': {
      const { message, stack } = packed;
      const options = packed.cause && { cause: unpackError(packed.cause, hostError) };
      const error =
        packed.kind === 'media'
          ? new MediaError(packed.failure, message, { ...options, isAttack: packed.isAttack })
          : Object.assign(new Error(message, options), packed.details);
      if (stack !== undefined) error.stack = stack;
      return error;
    }
    default:
      return packed satisfies never;
  }
}

function plainProperties(error: Error): PlainProperties {
  const isPlain = (value: unknown): value is PlainProperties[string] =>
    value === null || ['string', 'number', 'boolean'].includes(typeof value);
  return Object.fromEntries(
    Object.entries(error).filter((entry): entry is [string, PlainProperties[string]] => isPlain(entry[1])),
  );
}
