/** The session that a call was made in is over: its holder has signed out, or another account has signed in. */
export class SessionOverError extends Error {
  override readonly name = 'SessionOverError';
}
