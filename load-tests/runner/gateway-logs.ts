/** Each gateway's share of the load, from the line that it logs for each request. */
export interface GatewayCount {
  readonly name: string;
  readonly passed: number;
  readonly refused: number;
  /** How often Redis did not answer in time, so that for a while it counted by itself (docs/degradation.md). */
  readonly timesAlone: number;
}

const LISTED = /"method":"GET","route":"\/api\/v1\/splits","status":(\d+)/;
const COUNTS_ALONE = 'Redis does not count';

export function countByGateway(name: string, log: string): GatewayCount {
  const lines = log.split('\n');
  const statuses = lines.flatMap((line) => LISTED.exec(line)?.[1] ?? []);
  return {
    name,
    passed: statuses.filter((status) => status === '200').length,
    refused: statuses.filter((status) => status === '429').length,
    timesAlone: lines.filter((line) => line.includes(COUNTS_ALONE)).length,
  };
}
