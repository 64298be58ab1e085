/** `If-None-Match` (RFC 9110, 13.1.2): true if it does not stop a read; weak comparison. */
export function matchesNone(header: string | undefined, etag: string): boolean {
  if (header === undefined) return true;
  return header.trim() !== "*" && !tags(header).includes(etag);
}

function tags(header: string): string[] {
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].map(([, tag = ""]) => tag);
}
