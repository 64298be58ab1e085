export interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  readonly version?: string;
  /** Complete header lines without line breaks. They follow Host. */
  readonly headers?: readonly string[];
  /** The Host lines; by default one valid line. */
  readonly hosts?: readonly string[];
  readonly body?: string | Uint8Array;
}

/** The bytes of a request, well-formed or malformed as its parts are. By default a body gets its Content-Length. */
export function rawRequest({
  method = "POST",
  target = "/v1/plants",
  version = "HTTP/1.1",
  hosts = ["Host: plants.example"],
  headers = [],
  body = "",
}: RawRequest): Uint8Array {
  const bytes = Buffer.from(body);
  const told = headers.some((line) => /^(?:content-length|transfer-encoding)\b/i.test(line));
  const length = bytes.length > 0 && !told ? [`Content-Length: ${bytes.length}`] : [];
  const lines = [`${method} ${target} ${version}`, ...hosts, ...headers, ...length];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

/** A body in chunks of that size (RFC 9112, 7.1), with or without the last chunk. */
export function chunked(body: string | Uint8Array, size: number, ended = true): Uint8Array {
  const bytes = Buffer.from(body);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"));
  }
  if (ended) parts.push(Buffer.from("0\r\n\r\n"));
  return Buffer.concat(parts);
}
