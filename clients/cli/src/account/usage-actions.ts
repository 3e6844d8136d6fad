/** `audiosplit usage`: minutes, jobs and cost of the running period. */
import type { Usage } from '@audiosplit/client';
import type { Actions } from '../actions/action.ts';
import { formatBytes } from '../options/quantities.ts';
import { alignColumns } from '../table.ts';

export const USAGE_ACTIONS: Actions = {
  '': {
    operands: [],
    help: 'minutes, jobs and cost of the running period',
    async run({ client, print, signal }) {
      const usage = await client.getUsage({}, { signal });
      print([usage], () => describeUsage(usage));
    },
  },
};

/** Money is given in hundredths. */
function describeUsage({ period, usage, cost }: Usage): string {
  const { minutesProcessed, minutesIncluded, minutesOverage, jobsCompleted, jobsFailed, storageUsedBytes } =
    usage;
  // A service of an earlier version does not report canceled jobs separately.
  const { jobsCanceled = 0 } = usage;
  return alignColumns([
    ['period', `${period.start} to ${period.end}`],
    ['minutes', `${minutesProcessed} of ${minutesIncluded}, ${minutesOverage} beyond`],
    ['jobs', `${jobsCompleted} completed, ${jobsFailed - jobsCanceled} failed, ${jobsCanceled} canceled`],
    ['stored', formatBytes(storageUsedBytes)],
    ['cost', `${(cost.total / 100).toFixed(2)} ${cost.currency}`],
  ]);
}
