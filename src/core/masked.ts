/**
 * Tokens of this service and secrets of its webhooks, complete or cut off, credentials of any header, passwords in
 * addresses, age identities, and private keys in PEM.
 */
const SECRETS = new RegExp(
  [
    `(?<token>${spelled("plant_")}(?:[0-9a-z]|${encoded("[3-7][0-9a-f]")}){8,})`,
    `(?<webhook>${spelled("whsec_")}(?:[\\w+/=-]|${encoded("[2-7][0-9a-f]", "/")}){8,})`,
    `(?<scheme>${spelled("bearer")}|${spelled("basic")})(?:[\\s+]|${encoded("(?:20|09|2b)", "[nrt]")})+(?:[\\w.~+/=-]|${encoded("[2-7][0-9a-f]", "/")})+`,
    '(?<=://)[^\\s/?#"\\\\]*:[^\\s/?#"\\\\]*(?=@)',
    "age-secret-key-1[0-9a-z]+",
    '-----begin [a-z ]*private key-----(?:(?!-----end)[^"])*(?:-----end [a-z ]*private key-----)?',
  ].join("|"),
  "gi",
);

/**
 * Replaces everything that looks like a secret, also where it is percent-encoded (RFC 3986, 2.1) or escaped in JSON
 * (RFC 8259, 7), once or several times. What was JSON stays JSON.
 */
export function masked(text: string): string {
  return text.replace(SECRETS, (...match) => {
    const { token, webhook, scheme }: Record<string, string | undefined> = match.at(-1);
    if (token) return "plant_…";
    if (webhook) return "whsec_…";
    return scheme ? `${scheme} …` : "…";
  });
}

/** Matches the text, of which each character may be encoded. */
function spelled(text: string): string {
  const codeOf = (character: string) => character.charCodeAt(0).toString(16);
  return [...text]
    .map((each) => `(?:${each}|${encoded(`(?:${codeOf(each)}|${codeOf(each.toUpperCase())})`)})`)
    .join("");
}

/**
 * Matches an encoded ASCII character by its hexadecimal code; `short` is what else may follow a backslash. That may be
 * percent-encoded itself, and in a path the URL's parser has made it a slash. A run of backslashes is matched from its
 * beginning, so that the time stays linear.
 */
function encoded(code: string, short?: string): string {
  const escaped = `(?:(?<!\\\\)\\\\+|%(?:25)*5c)+(?:u00${code}${short ? `|${short}` : ""})`;
  return `%(?:25)*${code}|${escaped}|/u00${code}`;
}
