/** A component that can be broken for a while, and counts the requests that meet a fault. */
export interface Broken extends Disposable {
  /** The number of requests so far that met the fault. */
  hits(): number;
}

/** If there are several faults, the last one applies. */
export function createBreakable<Fault>() {
  let broken: { readonly fault: Fault; hits: number } | undefined;
  return {
    /** Broken until the result is disposed. */
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
    /** The fault that applies to a request now. */
    meet(): Fault | undefined {
      if (broken !== undefined) broken.hits += 1;
      return broken?.fault;
    },
  };
}
