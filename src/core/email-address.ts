export const EMAIL_LENGTH_MAX = 254;

/** The rule of a browser's e-mail field (WHATWG HTML, 4.10.5.1.5, "valid email address"). */
const VALID = /^[\w.!#$%&'*+/=?^`{|}~-]+@[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;

/** A host that holds letters beyond ASCII, and nothing that would end it within a URL. */
const INTERNATIONAL_HOST = /^(?=.*[^\0-\x7f])[^\s/?#:@%\\[\]]+$/;

/**
 * The address as it is stored and compared, if it is one: without blanks around it, in lower case, and with the A-labels
 * of its domain (RFC 5890). Letters beyond ASCII before the @ stay, so that none of them becomes an ASCII one.
 */
export function comparedEmail(text: string): string {
  const address = text.trim().replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());
  const at = address.lastIndexOf("@");
  const host = address.slice(at + 1);
  if (at < 0 || !INTERNATIONAL_HOST.test(host)) return address;
  return `${address.slice(0, at)}@${URL.parse(`http://${host}`)?.hostname ?? host}`;
}

/** The address as `comparedEmail` has it; undefined for a text that is none. */
export function parseEmail(text: string): string | undefined {
  const address = comparedEmail(text);
  return address.length <= EMAIL_LENGTH_MAX && VALID.test(address) ? address : undefined;
}
