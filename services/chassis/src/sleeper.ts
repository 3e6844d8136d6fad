/** The pause of a polling loop, which can be interrupted. One pause at a time. */
interface Sleeper {
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
