/** linux/prctl.h */
const PR_SET_DUMPABLE = 4;

/**
 * Makes this process non-dumpable: other processes of its user can then not read its environment, its memory
 * or its open files (proc(5), prctl(2)), even if ffmpeg has no sandbox. Programs that it starts are not
 * affected.
 *
 * Throws if it fails. Resolves with false if the platform has no such setting.
 */
export async function hideProcess(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { dlopen } = await import('node:ffi');
  // The image of this process, which contains the C library.
  using library = dlopen(null, {
    prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' },
  });
  if (library.functions.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) !== 0)
    throw new Error('prctl refused to make the process non-dumpable');
  return true;
}
