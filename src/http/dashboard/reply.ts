/** One by one, since cookies cannot share a line. */
export function setCookies(headers: Headers, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
}
