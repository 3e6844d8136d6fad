/**
 * Classic BPF as run by seccomp(2): linux/bpf_common.h has the codes, linux/seccomp.h the loaded and returned
 * values.
 */

export const LOAD_WORD = 0x20;
export const AND = 0x54;
export const JUMP_IF_EQUAL = 0x15;
export const JUMP_IF_AT_LEAST = 0x35;
export const JUMP_IF_ANY_BIT = 0x45;
export const RETURN = 0x06;

export interface Instruction {
  readonly code: number;
  readonly operand: number;
  /** The number of instructions that a jump skips if its condition holds, and if it does not. */
  readonly skipIfTrue: number;
  readonly skipIfFalse: number;
}

/** Offsets in `struct seccomp_data`. */
const NUMBER_OFFSET = 0;
const ARCHITECTURE_OFFSET = 4;
const ARGUMENTS_OFFSET = 16;

export type Code = readonly Instruction[];

export const loadNumber = load(NUMBER_OFFSET);
export const loadArchitecture = load(ARCHITECTURE_OFFSET);

/**
 * The lower half of an argument: both architectures are little-endian. No checked flag is in the upper half.
 */
export function loadArgument(index: number): Code {
  return load(ARGUMENTS_OFFSET + 8 * index);
}

export function keepBits(mask: number): Code {
  return [plain(AND, mask)];
}

export function returnWith(result: number): Code {
  return [plain(RETURN, result)];
}

/** Runs `then` if the loaded value meets the condition; otherwise continues after it. */
export function when(
  condition: 'is' | 'is not' | 'is at least' | 'has a bit of',
  operand: number,
  then: Code,
): Code {
  const codes = {
    is: JUMP_IF_EQUAL,
    'is not': JUMP_IF_EQUAL,
    'is at least': JUMP_IF_AT_LEAST,
    'has a bit of': JUMP_IF_ANY_BIT,
  };
  const [skipIfTrue, skipIfFalse] = condition === 'is not' ? [then.length, 0] : [0, then.length];
  return [{ code: codes[condition], operand, skipIfTrue, skipIfFalse }, ...then];
}

function load(offset: number): Code {
  return [plain(LOAD_WORD, offset)];
}

function plain(code: number, operand: number): Instruction {
  return { code, operand, skipIfTrue: 0, skipIfFalse: 0 };
}
