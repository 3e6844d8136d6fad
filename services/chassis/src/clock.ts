/** Time as an argument: what depends on it takes a Clock and never asks the system itself. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
