/** What every command of the program leaves with, besides 130 and 143 after a signal. */
export const EXIT_CODES = { ok: 0, failed: 1, misused: 2 } as const;
