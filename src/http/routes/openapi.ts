import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openApiDocument } from "#contract/openapi/document.ts";
import { UncountedAnswer } from "../large-answer.ts";
import { acceptsEncoding } from "../negotiation.ts";
import { OriginCopies } from "../origin-copies.ts";
import type { Addresses, RouteHandler } from "../routing.ts";

/** The OpenAPI document. Its server is the address under which the client reached this service. */
export function openApiRoutes(): Addresses {
  const json = () => JSON.stringify(openApiDocument(ANY_ORIGIN));
  // Read anew, since Bun writes an object that stands in several places once, with aliases.
  const yaml = () => `${Bun.YAML.stringify(JSON.parse(json()), null, 2)}
`;
  return {
    "/openapi.json": { GET: documentHandler("application/json", json) },
    "/openapi.yaml": { GET: documentHandler("application/yaml", yaml) },
  };
}

/** The document under one public address, for all its readers. */
interface Copy {
  readonly plain: Blob;
  gzip?: Promise<Blob>;
}

const compressed = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(gzip);
/** A placeholder for the server's address in the documents, which take 20 ms to make and are made once. */
const ANY_ORIGIN = "http://origin.invalid";

function documentHandler(type: string, made: () => string): RouteHandler {
  let text: string | undefined;
  const copies = new OriginCopies((origin): Copy => {
    text ??= made();
    return { plain: new Blob([text.replaceAll(ANY_ORIGIN, origin)]) };
  });
  return async (c) => {
    const { copy, isKept } = copies.of(c.env.context.client.origin);
    // It names the address that a proxy, too, may have said, by which no cache on the way tells copies apart.
    const headers = { "Content-Type": type, "Cache-Control": "private, no-cache", Vary: "Accept-Encoding" };
    // A copy that is not kept counts as its reader's answer.
    if (!isKept) return new Response(copy.plain, { headers });
    if (!acceptsEncoding(c.req.header("accept-encoding"), "gzip")) return new UncountedAnswer(copy.plain, { headers });
    copy.gzip ??= packed(copy.plain);
    // A client decodes the answer to GET and cannot compare it with the length of its encoded form, so HEAD tells none.
    const content = c.env.context.method === "HEAD" ? new ReadableStream() : await copy.gzip;
    return new UncountedAnswer(content, { headers: { ...headers, "Content-Encoding": "gzip" } });
  };
}

async function packed(plain: Blob): Promise<Blob> {
  return new Blob([await compressed(await plain.bytes())]);
}
