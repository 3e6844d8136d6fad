/**
 * Distinguishes a consumer that has stopped from one whose brokers are unavailable.
 *
 * The client library is known to stop consuming now and then without an error
 * (https://github.com/tulios/kafkajs/issues/659). A consumer without activity is dead if the brokers answer
 * at two checks in a row; one check is not enough, because a process that was suspended has had no chance to
 * be active. If the brokers do not answer, the silence is theirs, and its count starts again.
 */
interface LivenessWatch {
  readonly sign: () => void;
  /** Runs a check: true if this one and the last one found the consumer dead. */
  isDead(): Promise<boolean>;
}

interface LivenessOptions {
  readonly maxSilenceMs: number;
  /** Any monotonic clock. */
  readonly nowMs: () => number;
  /** Resolves when the brokers answer. */
  readonly check: () => Promise<void>;
}

export function createLivenessWatch({ maxSilenceMs, nowMs, check }: LivenessOptions): LivenessWatch {
  let lastSignMs = nowMs();
  let isSuspect = false;
  const sign = () => {
    lastSignMs = nowMs();
    isSuspect = false;
  };
  const isSilent = () => nowMs() - lastSignMs > maxSilenceMs;
  return {
    sign,
    async isDead() {
      if (!isSilent()) return false;
      try {
        await check();
      } catch {
        sign();
      }
      if (!isSilent()) return false;
      const wasSuspect = isSuspect;
      isSuspect = true;
      return wasSuspect;
    },
  };
}
