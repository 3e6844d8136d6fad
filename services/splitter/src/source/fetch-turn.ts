/** A place among the fetches of all accounts. */
export interface FetchPlace extends Disposable {
  /** Aborts when the place is given to another account. */
  readonly setAside: AbortSignal;
}

/** `isFirst`: at the head of the account's line. */
export type EnterFetches = (signal: AbortSignal, isFirst: boolean) => Promise<FetchPlace>;

/** One fetch's place, which may be taken away and taken again. */
export interface FetchTurn {
  /** Waits for a place unless it holds one. */
  hold(): Promise<FetchPlace>;
  isSetAside(): boolean;
  release(): void;
}

/** `isFirst`: already its first place is taken at the head of the account's line. */
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
