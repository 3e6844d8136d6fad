/** The body of an answer, as the test expects it; what it asserts on is checked by the assertions. */
export async function readJson<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}
