/** Each gateway's share of the load, from the line that it logs for each request. */
export type GatewayCount = ReturnType<typeof countByGateway>;

const LISTED = /"method":"GET","route":"\/api\/v1\/splits","status":(\d+)/;
const COUNTS_ALONE = 'Redis does not count';

export function countByGateway(name: string, log: string) {
  const lines = log.split('\n');
  const statuses = lines.flatMap((line) => LISTED.exec(line)?.[1] ?? []);
  return {
    name,
    passed: statuses.filter((status) => status === '200').length,
    refused: statuses.filter((status) => status === '429').length,
    // How often Redis did not respond in time, so that the gateway counted on its own for a while
    // (docs/degradation.md).
    timesAlone: lines.filter((line) => line.includes(COUNTS_ALONE)).length,
  };
}
