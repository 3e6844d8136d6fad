/** The names that resolv.conf(5) derives from one name. c-ares' `resolve` queries the given name only. */
export interface SearchRules {
  readonly domains: readonly string[];
  /** A name with fewer dots is first tried with the search domains. */
  readonly minDots: number;
}

/** The C library has the same limit. */
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
    // If both keywords are present, the last one wins.
    if (keyword === 'search') domains = values;
    if (keyword === 'domain') domains = values.slice(0, 1);
    if (keyword === 'options') {
      const given = values.findLast((value) => /^ndots:\d+$/.test(value));
      if (given !== undefined) minDots = Math.min(MAX_MIN_DOTS, Number(given.slice('ndots:'.length)));
    }
  }
  return { domains: domains.map(withoutRoot).filter(Boolean).slice(0, MAX_DOMAINS), minDots };
}

/** In query order. */
export function candidatesOf(hostname: string, { domains, minDots }: SearchRules): readonly string[] {
  const below = domains.map((domain) => `${hostname}.${domain}`);
  const dots = hostname.split('.').length - 1;
  return dots >= minDots ? [hostname, ...below] : [...below, hostname];
}

function withoutRoot(domain: string): string {
  return domain.replace(/\.$/, '');
}
