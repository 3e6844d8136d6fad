/** The pause of a loop that polls, and is also told when there is something to do. One pause at a time. */
export interface Sleeper {
  sleep(ms: number): Promise<void>;
  /** Ends the pause; does nothing between pauses. */
  wake(): void;
}

export function createSleeper(): Sleeper {
  let endPause = () => {};
  return {
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
    wake: () => endPause(),
  };
}
