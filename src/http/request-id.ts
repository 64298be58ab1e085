const process = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
/** The last two digits in base 36. Most ids are one of these after a prefix that seldom changes. */
const LAST_DIGITS = Array.from({ length: 36 * 36 }, (_, count) => count.toString(36).padStart(2, "0"));
let prefix = "";
let count = 0;

/** Unique among all requests of all nodes, short enough to read out, and cheap enough for every request. */
export function newRequestId(): string {
  const last = ++count % LAST_DIGITS.length;
  if (last === 0 || prefix === "") {
    prefix = `req_${process}${Math.floor(count / LAST_DIGITS.length)
      .toString(36)
      .padStart(4, "0")}`;
  }
  return prefix + LAST_DIGITS[last];
}
