/** Room in the scratch space for what a split stores at once in addition to its source. */
export interface ScratchRoom {
  /** The amount that a split may use without blocking others. */
  readonly shareBytes: number;
  /** Resolves once there is room for `bytes` in total, including earlier requests. */
  readonly reserve: (bytes: number) => Promise<void>;
}

export const UNBOUNDED_ROOM: ScratchRoom = {
  shareBytes: Number.POSITIVE_INFINITY,
  reserve: async () => undefined,
};

/** Assumed for a source of unknown size. */
const UNKNOWN_SOURCE_BYTES = 256 * 1024 * 1024;

/**
 * While one copied segment is handed out the next is written; both together are no larger than the source.
 */
export function copyRoomBytes(
  sourceBytes = UNKNOWN_SOURCE_BYTES,
  maxSegmentBytes = Number.POSITIVE_INFINITY,
): number {
  return Math.min(sourceBytes, 2 * maxSegmentBytes);
}
