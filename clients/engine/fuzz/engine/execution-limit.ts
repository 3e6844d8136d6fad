/** Something that one execution may use only so much of; using more throws a LimitExceededError at that moment. */
export interface ExecutionLimit {
  /** Begins counting, from 0. */
  begin(): void;
  /** Nothing is counted until the next `begin`. */
  end(): void;
}

export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
}

interface Budget extends ExecutionLimit {
  spend(amount: number): void;
}

/** `what` completes the sentence "one execution …". */
export function createBudget(what: string, max: number): Budget {
  let spent = 0;
  let isCounting = false;
  return {
    begin() {
      spent = 0;
      isCounting = true;
    },
    end() {
      isCounting = false;
    },
    spend(amount) {
      if (!isCounting) return;
      spent += amount;
      if (spent > max) throw new LimitExceededError(`one execution ${what}: more than ${max}`);
    },
  };
}
