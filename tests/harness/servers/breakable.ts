/** Something that can be broken for a while, and counts how often somebody met it broken. */
export interface Broken extends Disposable {
  /** Requests that met the fault so far. */
  hits(): number;
}

export interface Breakable<Fault> {
  /** For as long as it is not disposed. */
  breakDown(fault: Fault): Broken;
  /** The fault that there is. */
  fault(): Fault | undefined;
  hit(): void;
}

/** The last fault holds where there are several. */
export function createBreakable<Fault>(): Breakable<Fault> {
  let broken: { readonly fault: Fault; hits: number } | undefined;
  return {
    breakDown(fault) {
      const here = { fault, hits: 0 };
      broken = here;
      return {
        hits: () => here.hits,
        [Symbol.dispose]: () => {
          if (broken === here) broken = undefined;
        },
      };
    },
    fault: () => broken?.fault,
    hit: () => {
      if (broken !== undefined) broken.hits += 1;
    },
  };
}
