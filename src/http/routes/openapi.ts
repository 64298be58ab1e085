import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openApiDocument } from "#contract/openapi/document.ts";
import { versionPrefix } from "#contract/version.ts";
import { publicOrigin } from "../address.ts";
import { acceptsEncoding } from "../negotiation.ts";
import type { Addresses, RouteHandler } from "../routing.ts";
import type { ServedVersion, ServedVersions } from "../served-versions.ts";
import type { ServiceParts } from "../service-parts.ts";

/**
 * The OpenAPI document of each version under its prefix, and that of the newest at the root. Its server is the address
 * under which the client reached this service.
 */
export function openApiRoutes({ baseUrl }: Pick<ServiceParts, "baseUrl">, versions: ServedVersions): Addresses {
  const addresses: Record<string, { readonly GET: RouteHandler }> = {};
  const add = (version: ServedVersion, prefix: string) => {
    const json = async () => JSON.stringify(openApiDocument(ANY_ORIGIN, version));
    const yaml = async () =>
      (await import("yaml")).stringify(openApiDocument(ANY_ORIGIN, version), { aliasDuplicateObjects: false });
    addresses[`${prefix}/openapi.json`] = { GET: documentHandler("application/json", json, baseUrl) };
    addresses[`${prefix}/openapi.yaml`] = { GET: documentHandler("application/yaml", yaml, baseUrl) };
  };
  add(versions.newest, "");
  for (const version of versions.all) {
    for (const segment of version.segments) if (segment !== "") add(version, versionPrefix(segment));
  }
  return addresses;
}

const compressed = promisify(gzip);

/** In the place of the server's address, in the texts that are made once; making one takes some 20 ms (YAML: 200). */
const ANY_ORIGIN = "http://origin.invalid";

function documentHandler(type: string, made: () => Promise<string>, baseUrl: string | undefined): RouteHandler {
  let text: Promise<string> | undefined;
  const copies = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();
  return async (c) => {
    text ??= made();
    const origin = publicOrigin(baseUrl, c.req.url);
    const body = async () => ((await text) ?? "").replaceAll(ANY_ORIGIN, origin);
    const headers = { "Content-Type": type, Vary: "Accept-Encoding" };
    // As many public addresses keep a compressed copy; under any further one the document is sent as it is.
    const acceptsGzip = acceptsEncoding(c.req.header("accept-encoding"), "gzip");
    const isCopied = copies.has(origin) || copies.size < 16;
    if (!isCopied || !acceptsGzip) return c.body(await body(), 200, headers);
    const copy = copies.get(origin) ?? body().then((whole) => compressed(whole));
    copies.set(origin, copy);
    const bytes = await copy;
    // A client decodes the answer to GET and cannot compare it with the length of its encoded form, so HEAD tells none.
    const content = c.env.context.method === "HEAD" ? new ReadableStream() : bytes;
    return c.body(content, 200, { ...headers, "Content-Encoding": "gzip" });
  };
}
