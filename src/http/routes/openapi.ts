import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { openApiDocument } from "#contract/openapi/document.ts";
import { versionPrefix } from "#contract/version.ts";
import { UncountedAnswer } from "../large-answer.ts";
import { acceptsEncoding } from "../negotiation.ts";
import type { Addresses, RouteHandler } from "../routing.ts";
import type { ServedVersion, ServedVersions } from "../served-versions.ts";

/**
 * The OpenAPI document of each version under its prefix, and that of the newest at the root. Its server is the address
 * under which the client reached this service.
 */
export function openApiRoutes(versions: ServedVersions): Addresses {
  const addresses: Record<string, { readonly GET: RouteHandler }> = {};
  const add = (version: ServedVersion, prefix: string) => {
    const json = async () => JSON.stringify(openApiDocument(ANY_ORIGIN, version));
    const yaml = async () =>
      (await import("yaml")).stringify(openApiDocument(ANY_ORIGIN, version), { aliasDuplicateObjects: false });
    addresses[`${prefix}/openapi.json`] = { GET: documentHandler("application/json", json) };
    addresses[`${prefix}/openapi.yaml`] = { GET: documentHandler("application/yaml", yaml) };
  };
  add(versions.newest, "");
  for (const version of versions.all) {
    for (const segment of version.segments) if (segment !== "") add(version, versionPrefix(segment));
  }
  return addresses;
}

/** The document under one public address, for all its readers. */
interface Copy {
  readonly plain: Blob;
  gzip?: Promise<Blob>;
}

const compressed = promisify<Uint8Array, Uint8Array<ArrayBuffer>>(gzip);
/** Public addresses that keep a copy. Under any further one each reader has a copy of its own, which counts as its answer. */
const COPIES_MAX = 16;

/** In the place of the server's address, in the texts that are made once; making one takes some 20 ms (YAML: 200). */
const ANY_ORIGIN = "http://origin.invalid";

function documentHandler(type: string, made: () => Promise<string>): RouteHandler {
  let text: Promise<string> | undefined;
  const copies = new Map<string, Copy>();
  return async (c) => {
    text ??= made();
    const whole = await text;
    const origin = c.env.context.client.origin;
    const headers = { "Content-Type": type, Vary: "Accept-Encoding" };
    const copy = copies.get(origin) ?? { plain: new Blob([whole.replaceAll(ANY_ORIGIN, origin)]) };
    if (copies.size < COPIES_MAX) copies.set(origin, copy);
    if (!copies.has(origin)) return new Response(copy.plain, { headers });
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
