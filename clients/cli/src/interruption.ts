/** Ctrl-C and a polite kill: the work is aborted, so that nothing half-made stays, and the process ends by the shells' convention. */

/** 128 and the number of the signal. */
const EXIT_CODE_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143 } as const;

let interruptedBy: keyof typeof EXIT_CODE_OF_SIGNAL | undefined;
export const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruptedBy = signal;
    interruption.abort(new Error('interrupted'));
  });
}

/** Undefined: no signal has come. */
export function interruptedExitCode(): number | undefined {
  return interruptedBy === undefined ? undefined : EXIT_CODE_OF_SIGNAL[interruptedBy];
}
