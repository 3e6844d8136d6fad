/**
 * How long a job takes on many splitters, computed from the measured costs of its parts. Deterministic
 * arithmetic.
 *
 * The splitter that has the job prepares it alone. Then every splitter converts one part after the other: the
 * first claims its next part as soon as it is done; the others receive an offer for each part, a few at a
 * time. All share the store's bandwidth.
 */

interface MeasuredCosts {
  /** The cost of fetching the source and cutting it into pieces, per second of audio. */
  readonly preparingPerSecond: number;
  /** The cost of a part, independent of its length: claim, processes, uploads. */
  readonly partOverheadSeconds: number;
  /** The cost of reading, decoding, encoding and storing, per second of audio. */
  readonly partPerSecond: number;
  /** From one offer to the claim that makes room for the next. */
  readonly offerSeconds: number;
}

export interface ScaleScenario {
  readonly soundSeconds: number;
  readonly partSeconds: number;
  readonly sourceBytesPerSecond: number;
  readonly storeBytesPerSecond: number;
  /** The number of parts offered at the same time. */
  readonly offersAtOnce: number;
}

/** Seconds from the claim of the job to its completion. */
export function simulateJob(workers: number, costs: MeasuredCosts, scenario: ScaleScenario): number {
  const { soundSeconds, partSeconds, offersAtOnce } = scenario;
  const preparedAt = soundSeconds * costs.preparingPerSecond;
  const partCount = Math.ceil(soundSeconds / partSeconds);
  const busy = Math.min(workers, partCount);
  const freeAt = Array.from({ length: busy }, (_, worker) =>
    worker === 0 ? preparedAt : preparedAt + costs.offerSeconds * Math.ceil(worker / offersAtOnce),
  );
  let endedAt = preparedAt;
  for (let part = 0; part < partCount; part++) {
    const seconds = Math.min(partSeconds, soundSeconds - part * partSeconds);
    const start = Math.min(...freeAt);
    const worker = freeAt.indexOf(start);
    const work = costs.partOverheadSeconds + seconds * costs.partPerSecond;
    // Reading happens in parallel with the conversion; it decides a part's time if the store is slower.
    const reading = (seconds * scenario.sourceBytesPerSecond * busy) / scenario.storeBytesPerSecond;
    const end = start + Math.max(work, reading);
    freeAt[worker] = worker === 0 ? end : end + costs.offerSeconds;
    endedAt = Math.max(endedAt, end);
  }
  return endedAt;
}

interface MeasuredPart {
  readonly soundSeconds: number;
  readonly tookSeconds: number;
}

/**
 * Fits a line through the parts with least squares: the fixed cost of a part, and the cost of a second of
 * audio.
 */
export function fitPartCosts(
  parts: readonly MeasuredPart[],
): Pick<MeasuredCosts, 'partOverheadSeconds' | 'partPerSecond'> {
  const mean = (pick: (part: MeasuredPart) => number) =>
    parts.reduce((sum, part) => sum + pick(part), 0) / parts.length;
  const meanSound = mean(({ soundSeconds }) => soundSeconds);
  const meanTook = mean(({ tookSeconds }) => tookSeconds);
  const spread = mean(({ soundSeconds }) => (soundSeconds - meanSound) ** 2);
  if (!(spread > 0)) throw new RangeError('parts of one length tell nothing of what is fixed');
  const slope = mean((part) => (part.soundSeconds - meanSound) * (part.tookSeconds - meanTook)) / spread;
  // A negative fixed cost is noise.
  const partOverheadSeconds = Math.max(0, meanTook - slope * meanSound);
  return { partOverheadSeconds, partPerSecond: (meanTook - partOverheadSeconds) / meanSound };
}
