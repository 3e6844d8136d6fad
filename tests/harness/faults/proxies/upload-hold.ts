/** Holds uploads half-way, so that a writer can be killed at that point. */

export interface UploadHold extends Disposable {
  /** The paths of held uploads. The uploads break off when the hold ends. */
  paths(): readonly string[];
}

export function createUploadHolds() {
  let last: Map<() => void, string> | undefined;
  return {
    /** Holds until the result is disposed. */
    begin(): UploadHold {
      const here = new Map<() => void, string>();
      last = here;
      return {
        paths: () => [...here.values()],
        [Symbol.dispose]() {
          if (last === here) last = undefined;
          for (const breakOff of here.keys()) breakOff();
        },
      };
    },
    isOn: () => last !== undefined,
    /** Called when half of the upload has arrived. */
    keep(path: string, breakOff: () => void): void {
      if (last === undefined) breakOff();
      else last.set(breakOff, path);
    },
  };
}
