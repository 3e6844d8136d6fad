import { list } from '../process/settings.ts';
import { parseEgressPolicy } from './egress-policy.ts';

export const EGRESS_ALLOW_CIDRS = list(
  {
    what: 'private addresses that sources and webhooks may use, such as `10.0.0.0/8`',
    chart: 'egress.allowCidrs',
  },
  {
    allowed: 'address ranges like 10.0.0.0/8 or fd00::/8, separated by commas',
    parse(allowCidrs) {
      parseEgressPolicy({ allowCidrs, allowUrlPrefixes: [] });
      return allowCidrs;
    },
  },
);

export const EGRESS_ALLOW_URL_PREFIXES = list(
  {
    what: 'URLs below which sources may be read, whatever address their host has',
    chart: 'egress.allowUrlPrefixes',
  },
  {
    allowed: 'http or https URLs, separated by commas',
    parse(allowUrlPrefixes) {
      parseEgressPolicy({ allowCidrs: [], allowUrlPrefixes });
      return allowUrlPrefixes;
    },
  },
);
