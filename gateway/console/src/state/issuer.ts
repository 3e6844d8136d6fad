/** Who signs people in instead of this installation; the gateway writes it into the document. */
export const externalIssuer =
  document.querySelector<HTMLMetaElement>('meta[name="audiosplit-issuer"]')?.content ?? undefined;
