/** linux/prctl.h */
const PR_SET_DUMPABLE = 4;

/**
 * Makes this process non-dumpable: other processes of its user may then not read its environment, its memory or what it
 * has open (proc(5), prctl(2)), even where ffmpeg has no sandbox. Programs that it starts are not concerned.
 *
 * Throws where it cannot be done. Resolves with false where there is nothing of the kind.
 */
export async function hideProcess(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const { dlopen } = await import('node:ffi');
  // The process' own image, which has the C library in it.
  using library = dlopen(null, {
    prctl: { arguments: ['i32', 'u64', 'u64', 'u64', 'u64'], return: 'i32' },
  });
  if (library.functions.prctl(PR_SET_DUMPABLE, 0n, 0n, 0n, 0n) !== 0)
    throw new Error('prctl refused to make the process non-dumpable');
  return true;
}
