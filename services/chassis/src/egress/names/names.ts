/**
 * Resolves names without the C library, whose look-ups block threads that the whole process shares.
 *
 * A name is looked up in the hosts file, then at the name servers with the search domains. Answers are cached
 * for their time to live, within bounds, and failures for a few seconds. Concurrent callers share one query.
 * The number of queries per account is bounded, so a slow name delays only the accounts that use it.
 */
import { getServers } from 'node:dns';
import { createKeyedSemaphore } from '../../keyed-semaphore.ts';
import { askNameServers, type Patience } from './ask-name-servers.ts';
import { createFileReader, parseHosts } from './hosts-file.ts';
import { candidatesOf, parseSearchRules } from './search-domains.ts';

export interface Names {
  /**
   * All addresses of a name, in the order to try them; empty if the name does not exist. Rejects if no server
   * answered.
   */
  resolve(hostname: string): Promise<readonly string[]>;
  /** Waits until the account may send a query; resolves at once for a name that needs none. */
  enter(hostname: string, accountId: string, signal: AbortSignal): Promise<Disposable>;
}

interface NamesOptions {
  /** None: the system's. */
  readonly servers?: readonly string[];
  readonly patience?: Patience;
  readonly hostsFile?: string;
  readonly resolverFile?: string;
  readonly nowMs?: () => number;
}

interface KeptAnswer {
  readonly addresses: Promise<readonly string[]>;
  /** Undefined while the query is in flight. */
  untilMs: number | undefined;
}

const PATIENCE: Patience = { timeoutMs: 2_000, tries: 2 };
const MAX_QUESTIONS_PER_ACCOUNT = 4;
const MIN_KEPT_SECONDS = 1;
const MAX_KEPT_SECONDS = 60;
const FAILURE_KEPT_SECONDS = 5;
const MAX_KEPT_ANSWERS = 2_000;

export function createNames({
  servers = [],
  patience = PATIENCE,
  hostsFile = '/etc/hosts',
  resolverFile = '/etc/resolv.conf',
  nowMs = () => performance.now(),
}: NamesOptions = {}): Names {
  const readHosts = createFileReader(hostsFile, parseHosts, { nowMs });
  const readRules = createFileReader(resolverFile, parseSearchRules, { nowMs });
  const questions = createKeyedSemaphore(MAX_QUESTIONS_PER_ACCOUNT);
  /** The oldest first. */
  const kept = new Map<string, KeptAnswer>();

  const keptAnswer = (hostname: string): KeptAnswer | undefined => {
    const answer = kept.get(hostname);
    return answer?.untilMs !== undefined && answer.untilMs <= nowMs() ? undefined : answer;
  };

  const ask = async (hostname: string) => {
    for (const candidate of candidatesOf(hostname, await readRules())) {
      const answer = await askNameServers(candidate, servers.length > 0 ? servers : getServers(), patience);
      if (answer !== undefined) return answer;
    }
    return undefined;
  };

  const keep = (hostname: string): KeptAnswer => {
    const asked = ask(hostname);
    const answer: KeptAnswer = {
      addresses: asked.then((found) => found?.addresses ?? []),
      untilMs: undefined,
    };
    const keepFor = (seconds: number) => {
      answer.untilMs = nowMs() + seconds * 1_000;
    };
    asked.then(
      (found) =>
        keepFor(
          found === undefined
            ? FAILURE_KEPT_SECONDS
            : Math.min(MAX_KEPT_SECONDS, Math.max(MIN_KEPT_SECONDS, found.ttlSeconds)),
        ),
      () => keepFor(FAILURE_KEPT_SECONDS),
    );
    kept.delete(hostname);
    kept.set(hostname, answer);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT_ANSWERS && oldest !== undefined) kept.delete(oldest);
    return answer;
  };

  return {
    async resolve(name) {
      const hostname = name.toLowerCase();
      const listed = (await readHosts()).get(hostname);
      if (listed !== undefined) return listed;
      return await (keptAnswer(hostname) ?? keep(hostname)).addresses;
    },
    async enter(name, accountId, signal) {
      const hostname = name.toLowerCase();
      const answer = keptAnswer(hostname);
      const isKnown = answer?.untilMs !== undefined || (await readHosts()).has(hostname);
      return isKnown ? NO_TURN : await questions.acquire(accountId, signal);
    },
  };
}

const NO_TURN: Disposable = { [Symbol.dispose]() {} };
