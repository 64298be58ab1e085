import type { TokenSource } from "./call-options.ts";

/** The characters allowed in a header's value. With any other, the runtime's own error would repeat the token. */
const SENDABLE = /^[\x21-\x7e]+$/;

/** The token to send. `refused` is the token that the service has just refused. No error ever contains a token. */
export async function currentToken(source: TokenSource, refused?: string): Promise<string> {
  const token = typeof source === "function" ? await source(refused) : source;
  if (typeof token === "string" && SENDABLE.test(token)) return token;
  throw new TypeError("The token must be a string of visible ASCII characters, as in plant_…");
}
