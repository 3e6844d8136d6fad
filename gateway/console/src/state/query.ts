/** Data of the server in a component. What was seen before shows at once and stays until something newer is there. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type Failure, failureOf } from '../api/failure.ts';

const seen = new Map<string, unknown>();

export interface Query<T> {
  readonly data: T | undefined;
  readonly failure: Failure | undefined;
  /** Whether what is shown is the answer to what was asked for before. */
  readonly isEarlier: boolean;
  reload(): void;
}

export interface QueryOptions<T> {
  /** Asks again whenever it is another one. */
  readonly version?: number;
  /** Shows what was asked for before until this is there: rows that give way to rows do not blink. */
  readonly keepsEarlier?: boolean;
  /** Asks again after this time, while the page is looked at; undefined for no more. */
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
        // What is followed is followed on.
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

/** What one account has seen is not for the next. */
export function forgetAll(): void {
  seen.clear();
}

function initial<T>(key: string): State<T> {
  return { key, data: seen.get(key) as T | undefined, failure: undefined };
}
