/**
 * A deadline for replies that arrive in order, without a timer for each: one timer runs while replies are
 * pending and checks the oldest.
 */
interface ReplyDeadline {
  /** Settles as `reply` does. Rejects after the deadline, at the timer's next step. */
  over<T>(reply: Promise<T>, deadlineMs?: number): Promise<T>;
  end(): void;
}

interface Outstanding {
  readonly untilMs: number;
  readonly giveUp: (error: Error) => void;
}

const STEPS_PER_DEADLINE = 5;

export function createReplyDeadline(defaultDeadlineMs: number): ReplyDeadline {
  const outstanding = new Set<Outstanding>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const nowMs = performance.now();
    for (const entry of outstanding) {
      if (entry.untilMs > nowMs) continue;
      outstanding.delete(entry);
      entry.giveUp(new Error('no answer in time'));
    }
    if (outstanding.size === 0) stop();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    over: (reply, deadlineMs = defaultDeadlineMs) =>
      new Promise((resolve, reject) => {
        const entry: Outstanding = { untilMs: performance.now() + deadlineMs, giveUp: reject };
        outstanding.add(entry);
        timer ??= setInterval(look, defaultDeadlineMs / STEPS_PER_DEADLINE);
        reply.then(resolve, reject).finally(() => outstanding.delete(entry));
      }),
    end: stop,
  };
}
