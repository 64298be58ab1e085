import { gunzipSync } from "node:zlib";
import Negotiator from "negotiator";
import { Failure, unavailable } from "#core/failure.ts";
import { optionsHeaders } from "../allow-only.ts";
import { pageHeaders } from "../page-headers.ts";
import { addressUnknown, methodNotAllowed } from "../refusals.ts";
import type { Mount } from "../service.ts";

/** A built file, at an address that includes a hash of its content. */
export interface DashboardFile {
  readonly type: string;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/**
 * HTML for the end of a page's head, for the program's container until the program has started, and for the end of the
 * body.
 */
interface PageParts {
  readonly head: string;
  readonly root: string;
  readonly body: string;
}

/** The built dashboard: its kinds of page, and its files by the last part of their path. */
export interface DashboardAssets {
  readonly pages: Readonly<Record<"outside" | "overview" | "inside", PageParts>>;
  readonly icon: string;
  readonly files: ReadonlyMap<string, DashboardFile>;
}

const ASSETS = "/dashboard/assets/";
const IMMUTABLE = "public, max-age=31536000, immutable";
const A_DAY = "public, max-age=86400";
const READ_ONLY = ["GET", "HEAD"];
/** The OpenAPI document describes /docs, so it is an address of the API, with the headers and methods of one. */
const DOCS_METHODS = [...READ_ONLY, "OPTIONS"];
/** Pages that need no sign-in; they load less. */
const OUTSIDE = /^\/dashboard\/(?:sign-in|welcome|recovery|verify-email)$/;
const PAGES = {
  "/dashboard": { title: "Plantstore", description: "The dashboard of Plantstore: plants, tokens and usage." },
  "/docs": { title: "API reference · Plantstore", description: "Every request and answer of the Plantstore API." },
} as const;

/**
 * The pages for people. The program of a page reads its address, so here the addresses differ only in the files they
 * load. The files are served below /dashboard/assets, under names that change with their content.
 */
export function dashboardPages(assets: DashboardAssets | undefined): Mount[] {
  const serve = (pathname: string, request: Request): Response => {
    if (!assets) throw unavailable("The dashboard is not built on this server; its log says how to build it");
    if (pathname.startsWith(ASSETS)) return file(assets, pathname.slice(ASSETS.length), request, IMMUTABLE);
    if (pathname === "/favicon.ico") return file(assets, assets.icon, request, A_DAY);
    if (pathname === "/dashboard" || pathname.startsWith("/dashboard/"))
      return page(partsOf(assets, pathname), "/dashboard");
    if (pathname.startsWith("/docs/") && pathname.endsWith("/")) return withoutSlash(pathname);
    if (pathname === "/docs") return page(assets.pages.inside, "/docs");
    throw addressUnknown();
  };
  return ["/dashboard", "/docs", "/favicon.ico"].map((prefix) => ({
    prefix,
    route: "dashboard",
    headers: ({ client, version }) => ({
      ...(prefix === "/docs" ? version.headers : {}),
      ...pageHeaders(client.secure),
    }),
    async fetch({ request }) {
      if (prefix === "/docs" && request.method === "OPTIONS") {
        return new Response(null, { status: 204, headers: optionsHeaders(DOCS_METHODS) });
      }
      requireMethod(request, prefix === "/docs" ? DOCS_METHODS : READ_ONLY);
      return serve(new URL(request.url).pathname, request);
    },
  }));
}

/** People add a slash to a page's address. In the API an address with a slash is a different one. */
function withoutSlash(pathname: string): Response {
  return new Response(null, { status: 308, headers: { Location: pathname.replace(/\/+$/, "") } });
}

function requireMethod({ method }: Request, allowed: readonly string[]): void {
  if (!allowed.includes(method)) throw methodNotAllowed(method, allowed);
}

function file(assets: DashboardAssets, name: string, request: Request, caching: string): Response {
  const found = assets.files.get(name);
  if (!found) throw new Failure("address-unknown", "There is no such file in this version; load the page again");
  const encoding = preferredEncoding(request.headers.get("accept-encoding") ?? "");
  return new Response(encoding === "identity" ? new Uint8Array(gunzipSync(found.gzip)) : found[encoding], {
    headers: {
      "Content-Type": found.type,
      "Cache-Control": caching,
      Vary: "Accept-Encoding",
      ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    },
  });
}

type Encoding = "br" | "gzip" | "identity";
const ENCODINGS: readonly Encoding[] = ["br", "gzip", "identity"];

/** Brotli before gzip, if the client accepts it (RFC 9110, 12.5.3). */
export function preferredEncoding(header: string): Encoding {
  const accepted = new Negotiator({ headers: { "accept-encoding": header } }).encodings([...ENCODINGS]);
  return ENCODINGS.find((encoding) => accepted.includes(encoding)) ?? "identity";
}

function partsOf({ pages }: DashboardAssets, pathname: string): PageParts {
  if (pathname === "/dashboard") return pages.overview;
  return OUTSIDE.test(pathname) ? pages.outside : pages.inside;
}

function page({ head, root, body }: PageParts, at: keyof typeof PAGES): Response {
  const { title, description } = PAGES[at];
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title}</title>
${head}</head>
<body>
<div id="root">${root}</div>
<noscript>This page needs JavaScript. The API does not: <a href="/openapi.json">openapi.json</a> describes it.</noscript>
${body}</body>
</html>
`;
  return new Response(html, { headers: { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" } });
}
