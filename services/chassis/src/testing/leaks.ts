/** Finds secrets in what programs have written, in whichever spelling they got there. */

/** Shorter ones would be found by chance. */
const MIN_SECRET_LENGTH = 10;

/** Of the lines that hold one: what it is, and the line. Throws RangeError for a secret that is too short to be distinctive. */
export function leaksIn(lines: readonly string[], secrets: Readonly<Record<string, string>>): string[] {
  return Object.entries(secrets).flatMap(([kind, secret]) => {
    if (secret.length < MIN_SECRET_LENGTH) throw new RangeError(`${kind} is too short`);
    const spellings = spellingsOf(secret);
    return lines
      .filter((line) => spellings.some((spelling) => line.includes(spelling)))
      .map((line) => `${kind}: ${line}`);
  });
}

function spellingsOf(secret: string): readonly string[] {
  const url = new URL('http://host');
  url.password = secret;
  const base64 = [0, 1, 2].map((before) => base64After(secret, before));
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    url.password,
    new URLSearchParams([['', secret]]).toString().slice(1),
    Buffer.from(secret).toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** Without the characters at both ends that depend on what stands beside it, as the user in `user:password` does. */
function base64After(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const first = Math.ceil((before * 8) / 6);
  return bytes.toString('base64').slice(first, Math.floor((bytes.length * 8) / 6));
}
