/** The external issuer, if any. The gateway writes it into the document. */
export const externalIssuer =
  document.querySelector<HTMLMetaElement>('meta[name="audiosplit-issuer"]')?.content ?? undefined;
