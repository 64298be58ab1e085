import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";
import { Hono } from "hono";
import { allowOnly } from "../allow-only.ts";
import type { Env } from "../env.ts";

const SCRIPT_PATH = "/docs/reference.js";
const COMPRESSION_LEVEL = 6;

/** The page may run this host's scripts only, and call this host only. Scalar writes styles inline. */
const PAGE_HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** So that the reference calls nobody else, and asks for no token that it would keep. */
const SCALAR_SETTINGS = {
  url: "openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  theme: "default",
};

/** The browsable reference of the OpenAPI document, from this host alone. */
export function referenceRoutes(): Hono<Env> {
  const routes = new Hono<Env>();
  routes.get("/docs", (c) => c.body(PAGE, 200, PAGE_HEADERS));
  routes.get(SCRIPT_PATH, async (c) => {
    const compressed = c.req.header("accept-encoding")?.includes("br") ?? false;
    const headers = {
      "Content-Type": "text/javascript; charset=utf-8",
      "Cache-Control": "max-age=3600",
      Vary: "Accept-Encoding",
    };
    if (compressed) return c.body(await compressedScript(), 200, { ...headers, "Content-Encoding": "br" });
    return c.body(await script(), 200, headers);
  });
  for (const path of ["/docs", SCRIPT_PATH]) allowOnly(routes, path, ["GET"]);
  return routes;
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plantstore API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<script id="api-reference" data-url="openapi.json" data-configuration='${JSON.stringify(SCALAR_SETTINGS)}'></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

async function script(): Promise<Uint8Array<ArrayBuffer>> {
  const { default: path } = await import("@scalar/api-reference/browser/standalone.js", { with: { type: "file" } });
  return readFile(new URL(path, import.meta.url));
}

let compressing: Promise<Uint8Array<ArrayBuffer>> | undefined;

/** Compressed once, when first asked for, on a thread that serves nobody. */
function compressedScript(): Promise<Uint8Array<ArrayBuffer>> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: COMPRESSION_LEVEL };
  compressing ??= script().then((text) => promisify(brotliCompress)(text, { params }));
  return compressing;
}
