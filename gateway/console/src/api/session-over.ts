/** The session of a call has ended: its account has signed out, or another one has signed in. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}
