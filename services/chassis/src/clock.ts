/** Code that depends on time takes a Clock as an argument and never reads the system clock itself. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
