import { InvalidParamsError } from '@audiosplit/chassis/errors';

interface EmailAddress {
  /** As given, trimmed. */
  readonly text: string;
  /** Equal for addresses that only differ in case. */
  readonly key: string;
}

/** RFC 5321, 4.5.3.1: 64 octets before the @, and a path of 256 with its angle brackets. */
const MAX_LOCAL_PART_LENGTH = 64;
const MAX_LENGTH = 254;

/** HTML's valid address (https://html.spec.whatwg.org/#valid-e-mail-address), with a dot in the domain. */
const FORM =
  /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)+$/i;

/** Throws InvalidParamsError. */
export function parseEmailAddress(value: string): EmailAddress {
  const text = value.trim();
  if (text.length > MAX_LENGTH || text.indexOf('@') > MAX_LOCAL_PART_LENGTH || !FORM.test(text)) {
    throw new InvalidParamsError('email', 'give an address of the form name@example.com.');
  }
  return { text, key: addressKeyOf(text) };
}

/** The lookup key of any text. Replaces NUL, which the database rejects and no address contains. */
export function addressKeyOf(value: string): string {
  return value.trim().toLowerCase().replaceAll('\0', '\ufffd');
}
