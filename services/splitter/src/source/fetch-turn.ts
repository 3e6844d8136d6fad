/** A slot for a fetch; the fetches of all accounts share the slots. */
export interface FetchPlace extends Disposable {
  /** Aborts when the slot is given to another account. */
  readonly setAside: AbortSignal;
}

/** `isFirst`: enters at the head of the account's queue. */
export type EnterFetches = (signal: AbortSignal, isFirst: boolean) => Promise<FetchPlace>;

/** The slot of one fetch, which may be taken away and acquired again. */
export interface FetchTurn {
  /** Waits for a slot unless the fetch holds one. */
  hold(): Promise<FetchPlace>;
  isSetAside(): boolean;
  release(): void;
}

/** `isFirst`: even the first slot is acquired at the head of the account's queue. */
export function createFetchTurn(enter: EnterFetches, signal: AbortSignal, isFirst = false): FetchTurn {
  let place: FetchPlace | undefined;
  let isResumed = isFirst;
  const isSetAside = () => place?.setAside.aborted === true;
  return {
    async hold() {
      if (place === undefined || isSetAside()) {
        place = await enter(signal, isResumed);
        isResumed = true;
      }
      return place;
    },
    isSetAside,
    release() {
      place?.[Symbol.dispose]();
      place = undefined;
    },
  };
}

export const enterAnyFetch: EnterFetches = async () => ({
  setAside: new AbortController().signal,
  [Symbol.dispose]() {},
});
