/** Something that can be broken for a while, and counts the requests that meet a fault. */
export interface Broken extends Disposable {
  /** Requests that met the fault so far. */
  hits(): number;
}

/** The last fault holds where there are several. */
export function createBreakable<Fault>() {
  let broken: { readonly fault: Fault; hits: number } | undefined;
  return {
    /** Until the result is disposed. */
    breakDown(fault: Fault): Broken {
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
    /** The fault that a request meets now. */
    meet(): Fault | undefined {
      if (broken !== undefined) broken.hits += 1;
      return broken?.fault;
    },
  };
}
