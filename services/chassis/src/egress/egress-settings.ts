import { isIP } from 'node:net';
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

export const DNS_SERVERS = list(
  {
    what: 'name servers that are asked for the hosts of sources and webhooks, such as `10.0.0.2` or `[fd00::2]:5353`',
    shownDefault: "the system's",
  },
  {
    allowed: 'addresses of name servers, each with a port or without, separated by commas',
    parse(servers) {
      for (const server of servers) {
        const [, v6, v4] = /^(?:\[(.+)\]|([\d.]+))(?::\d{1,5})?$/.exec(server) ?? [];
        if (isIP(v6 ?? v4 ?? server) === 0) throw new Error(`"${server}" is not an address`);
      }
      return servers;
    },
  },
);
