/** The body with the type that the test expects; its assertions check it. */
export async function readJson<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}
