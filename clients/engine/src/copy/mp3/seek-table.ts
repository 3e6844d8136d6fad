export interface SeekPoint {
  readonly frameIndex: number;
  readonly byteOffset: number;
}

interface SeekTable {
  readonly points: readonly SeekPoint[];
  note(frameIndex: number, byteOffset: number): void;
}

const MAX_POINTS = 400;

/**
 * Evenly distributed points of a file of unknown length: when the table is full, every second point is
 * dropped.
 */
export function createSeekTable(): SeekTable {
  let points: SeekPoint[] = [];
  let stride = 1;
  return {
    get points() {
      return points;
    },
    note(frameIndex, byteOffset) {
      if (frameIndex % stride !== 0) return;
      points.push({ frameIndex, byteOffset });
      if (points.length < MAX_POINTS) return;
      stride *= 2;
      points = points.filter((point) => point.frameIndex % stride === 0);
    },
  };
}
