/**
 * Tells a consumer that has gone quiet from one whose brokers are away.
 *
 * The client library is known to stop consuming now and then without saying so
 * (https://github.com/tulios/kafkajs/issues/659). A consumer without a sign of life is dead if the brokers
 * answer, at two looks in a row: a process that was stopped for a while has had no chance to give one. If they
 * do not answer, its silence is theirs, and counts anew from then.
 */
interface LivenessWatch {
  readonly sign: () => void;
  /** A look: true where this and the last one found the consumer dead. */
  isDead(): Promise<boolean>;
}

interface LivenessOptions {
  readonly maxSilenceMs: number;
  /** Any clock that never goes back. */
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
