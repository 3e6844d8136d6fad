import { api, failureOf } from '../api/client.ts';

interface Credentials {
  readonly email: string;
  readonly password: string;
  /** Undefined until the account asks for one. */
  readonly code: string | undefined;
}

export function signInWithCode({ email, password, code }: Credentials, askForCode: () => void) {
  const credentials = code === undefined ? { email, password } : { email, password, code };
  return askingForCode(api.session.signIn.mutate(credentials), askForCode);
}

/** Has a code asked for where the account has a second factor; the failure that is thrown says so. */
export async function askingForCode<T>(call: Promise<T>, askForCode: () => void): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (failureOf(error).code === 'SECOND_FACTOR_REQUIRED') askForCode();
    throw error;
  }
}
