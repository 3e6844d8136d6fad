/** Server data in a component. Cached data is shown at once, until newer data arrives. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';

const seen = new Map<string, unknown>();

export interface Query<T> {
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  /** Whether the data belongs to the previous key. */
  readonly isEarlier: boolean;
  reload(): void;
}

interface QueryOptions<T> {
  /** Reloads when it changes. */
  readonly version?: number;
  /** Keeps showing the previous key's data while loading, so that rows do not blink. */
  readonly keepsEarlier?: boolean;
  /** Time until the next poll, while the page is visible. Undefined: no more polls. */
  readonly againAfterMs?: (data: T) => number | undefined;
}

interface State<T> {
  readonly key: string;
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
}

export function useQuery<T>(key: string, load: () => Promise<T>, options: QueryOptions<T> = {}): Query<T> {
  const [state, setState] = useState<State<T>>(() => initial(key));
  const [round, setRound] = useState(0);
  const latest = useRef({ load, options });
  latest.current = { load, options };

  useEffect(() => {
    let isCurrent = true;
    let timer: number | undefined;
    const again = (data: T) => {
      const delayMs = latest.current.options.againAfterMs?.(data);
      if (delayMs === undefined) return;
      timer = window.setTimeout(() => (document.hidden ? again(data) : void ask()), delayMs);
    };
    const ask = async () => {
      try {
        const data = await latest.current.load();
        if (!isCurrent) return;
        seen.set(key, data);
        setState({ key, data, failure: undefined });
        again(data);
      } catch (error) {
        if (!isCurrent) return;
        const data = seen.get(key) as T | undefined;
        setState({ key, data, failure: failureOf(error) });
        // Polling continues after an error.
        if (data !== undefined) again(data);
      }
    };
    void ask();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [key, round, options.version]);

  const reload = useCallback(() => setRound((each) => each + 1), []);
  const shown = state.key === key ? state : initial<T>(key);
  const isEarlier = options.keepsEarlier === true && shown.data === undefined && state.key !== key;
  return { data: isEarlier ? state.data : shown.data, failure: shown.failure, isEarlier, reload };
}

/** Cached data belongs to one account. */
export function forgetAll(): void {
  seen.clear();
}

function initial<T>(key: string): State<T> {
  return { key, data: seen.get(key) as T | undefined, failure: undefined };
}
