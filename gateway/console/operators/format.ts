/** Never negative: two clocks may differ slightly. */
export function secondsBetween(from: string, to: string): number {
  return Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
}
