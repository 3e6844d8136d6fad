/** Which names resolv.conf(5) makes of one. c-ares' `resolve` asks for the very name alone. */
export interface SearchRules {
  readonly domains: readonly string[];
  /** A name with fewer dots is tried below the domains first. */
  readonly minDots: number;
}

/** What the C library takes, too. */
const MAX_DOMAINS = 6;
const MAX_MIN_DOTS = 15;

export function parseSearchRules(text: string): SearchRules {
  let domains: readonly string[] = [];
  let minDots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/);
    // The last of the two wins.
    if (keyword === 'search') domains = values;
    if (keyword === 'domain') domains = values.slice(0, 1);
    if (keyword === 'options') {
      const given = values.findLast((value) => /^ndots:\d+$/.test(value));
      if (given !== undefined) minDots = Math.min(MAX_MIN_DOTS, Number(given.slice('ndots:'.length)));
    }
  }
  return { domains: domains.map(withoutRoot).filter(Boolean).slice(0, MAX_DOMAINS), minDots };
}

/** In the order in which they are asked for. */
export function candidatesOf(hostname: string, { domains, minDots }: SearchRules): readonly string[] {
  const below = domains.map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= minDots ? [hostname, ...below] : [...below, hostname];
}

function withoutRoot(domain: string): string {
  return domain.replace(/\.$/, '');
}
