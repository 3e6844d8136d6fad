/**
 * Runs classic BPF as the kernel does for seccomp: one accumulator, and `struct seccomp_data` as its only
 * memory.
 */
import {
  AND,
  type Code,
  JUMP_IF_ANY_BIT,
  JUMP_IF_AT_LEAST,
  JUMP_IF_EQUAL,
  LOAD_WORD,
  RETURN,
} from './bpf.ts';

export interface SystemCall {
  readonly number: number;
  readonly audit: number;
  readonly args?: readonly bigint[];
}

/** Returns the filter's result for a call. Throws on code that the kernel would reject. */
export function runFilter(code: Code, { number, audit, args = [] }: SystemCall): number {
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, number, true);
  data.setUint32(4, audit, true);
  for (const [index, arg] of args.entries()) data.setBigUint64(16 + 8 * index, arg, true);
  let accumulator = 0;
  for (let at = 0; ; at += 1) {
    const instruction = code[at];
    if (instruction === undefined) throw new Error('the filter runs over its end');
    const { operand, skipIfTrue, skipIfFalse } = instruction;
    if (skipIfTrue > 255 || skipIfFalse > 255) throw new Error('a jump is too long');
    const jump = (isTrue: boolean): void => {
      at += isTrue ? skipIfTrue : skipIfFalse;
    };
    switch (instruction.code) {
      case LOAD_WORD:
        accumulator = data.getUint32(operand, true);
        break;
      case AND:
        accumulator = (accumulator & operand) >>> 0;
        break;
      case JUMP_IF_EQUAL:
        jump(accumulator === operand >>> 0);
        break;
      case JUMP_IF_AT_LEAST:
        jump(accumulator >= operand >>> 0);
        break;
      case JUMP_IF_ANY_BIT:
        jump((accumulator & operand) !== 0);
        break;
      case RETURN:
        return operand >>> 0;
      default:
        throw new Error(`there is no instruction ${instruction.code}`);
    }
  }
}

/** The memory layout of `struct sock_filter`. */
export function filterBytes(code: Code): Buffer {
  const bytes = Buffer.alloc(code.length * 8);
  for (const [index, instruction] of code.entries()) {
    bytes.writeUInt16LE(instruction.code, index * 8);
    bytes.writeUInt8(instruction.skipIfTrue, index * 8 + 2);
    bytes.writeUInt8(instruction.skipIfFalse, index * 8 + 3);
    bytes.writeUInt32LE(instruction.operand >>> 0, index * 8 + 4);
  }
  return bytes;
}
