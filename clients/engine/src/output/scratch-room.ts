/** Room in the scratch space for what a split holds at once beside its source. */
export interface ScratchRoom {
  /** What a split may hold without being in the way of others. */
  readonly shareBytes: number;
  /** Resolves once there is room for as much in all, counted together with what was asked for before. */
  readonly reserve: (bytes: number) => Promise<void>;
}

export const UNBOUNDED_ROOM: ScratchRoom = {
  shareBytes: Number.POSITIVE_INFINITY,
  reserve: async () => undefined,
};

/** Where nothing tells how large a source is. */
const UNKNOWN_SOURCE_BYTES = 256 * 1024 * 1024;

/** While one copied segment is handed out the next is written; of both together the source has no more bytes. */
export function copyRoomBytes(
  sourceBytes = UNKNOWN_SOURCE_BYTES,
  maxSegmentBytes = Number.POSITIVE_INFINITY,
): number {
  return Math.min(sourceBytes, 2 * maxSegmentBytes);
}
