import type { TokenSource } from "./call-options.ts";

/** The characters of a header's value. The runtime's own error would repeat a value with any other. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The token to send. `refused` is the one that the service has just refused. The token is never repeated in an error. */
export async function currentToken(source: TokenSource, refused?: string): Promise<string> {
  const token = typeof source === "function" ? await source(refused) : source;
  if (typeof token === "string" && SENDABLE.test(token)) return token;
  throw new TypeError("The token must be a string of visible ASCII characters, as in plant_…");
}
