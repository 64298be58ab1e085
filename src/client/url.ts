/**
 * The base address without a slash at its end, which would be doubled. Throws a TypeError if it is not a valid address.
 */
export function baseAddress(url: string | URL): string {
  const parsed = parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    throw new TypeError("The url must be an http or https address, as in https://plants.example.com");
  }
  if (parsed.username || parsed.password || parsed.search || parsed.hash) {
    throw new TypeError("The url must hold no user, password, query or fragment");
  }
  return parsed.href.replace(/\/+$/, "");
}

function parse(url: string | URL): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}
