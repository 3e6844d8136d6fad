/** Which files are being sent. One that is, here or in another tab, is another upload when it is sent again. */
const heldHere = new Set<string>();

/** Calls `send` with the key, or without where the file is being sent already. */
export async function holdFile<T>(key: string, send: (key: string | undefined) => Promise<T>): Promise<T> {
  if (heldHere.has(key)) return await send(undefined);
  heldHere.add(key);
  try {
    // Locks need a secure origin.
    if (navigator.locks === undefined) return await send(key);
    return await navigator.locks.request(key, { ifAvailable: true }, (lock) =>
      send(lock === null ? undefined : key),
    );
  } finally {
    heldHere.delete(key);
  }
}

/** Of this tab, and of others as far as the browser says. */
export async function heldKeys(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return new Set([...heldHere, ...held.flatMap(({ name }) => name ?? [])]);
}
