import { promisify } from "node:util";
import { brotliCompress, gzip as gzipped } from "node:zlib";
import { showsOwnAddress } from "#contract/guides.ts";
import { type ClientInfo, isSecure } from "#core/client-info.ts";
import { Failure, unavailable } from "#core/failure.ts";
import { VERSION_HEADERS } from "../answer.ts";
import { UncountedAnswer } from "../large-answer.ts";
import type { Mount } from "../mount.ts";
import { preferredEncoding } from "../negotiation.ts";
import { OriginCopies } from "../origin-copies.ts";
import { pageHeaders } from "../page-headers.ts";
import { addressUnknown, methodNotAllowed } from "../refusals.ts";
import { optionsHeaders } from "../routing.ts";
import type { Download } from "./downloads.ts";

/** A built file, at an address that includes a hash of its content. */
export interface DashboardFile {
  readonly type: string;
  readonly br: Blob | Promise<Blob>;
  readonly gzip: Blob | Promise<Blob>;
  /** Unpacked when it is first asked for, since nearly all readers take it compressed. */
  readonly identity: () => Promise<Blob>;
}

/** The pages, by their files or the names of these. */
export interface Pages<File> {
  /** The page for readers who are not signed in: sign-in and its steps. */
  readonly outside: File;
  /** The reference, for readers who are not signed in. */
  readonly reference: File;
  /** The pages of the dashboard by their paths. */
  readonly framed: Readonly<Record<string, File>>;
  /** Every other address of the dashboard. */
  readonly other: File;
}

/** The built dashboard: its pages, and the files by the last part of their path. */
export interface DashboardAssets {
  readonly pages: Pages<DashboardFile>;
  /** The public guides, by addresses such as "/docs/guides/tokens". */
  readonly guides: ReadonlyMap<string, DashboardFile>;
  readonly icon: string;
  readonly files: ReadonlyMap<string, DashboardFile>;
  readonly downloads: readonly Download[];
}

const ASSETS = "/dashboard/assets/";
const IMMUTABLE = "public, max-age=31536000, immutable";
const A_DAY = "public, max-age=86400";
const READ_ONLY = ["GET", "HEAD"];
/** The OpenAPI document describes /docs, so it is an address of the API, with the headers and methods of one. */
const DOCS_METHODS = [...READ_ONLY, "OPTIONS"];
const REVALIDATED = "no-cache";
const PRIVATE = "private, no-cache";
/** The address in the examples of the built reference and guides, in whose place readers see the service's own. */
const BUILT_ORIGIN = /http:\/\/127\.0\.0\.1(?::3000)?(?![:\d])/g;
/** Pages that need no sign-in; they load less. */
const OUTSIDE = /^\/dashboard\/(?:sign-in|welcome|recovery|verify-email|invitation)$/;

type Serve = (request: Request, client: ClientInfo) => Promise<Response>;

/**
 * The pages for people. A page is the same for every reader but for one difference: for a reader who is not signed in it
 * is the sign-in. The files are served below /dashboard/assets, under names that change with their content. `homeOf` gives the
 * origin to which the pages of another host lead, since sessions and passkeys belong to one.
 */
export function dashboardPages(
  assets: DashboardAssets | undefined,
  isSignedIn: (client: ClientInfo) => Promise<boolean>,
  homeOf: (host: string) => string | undefined = () => undefined,
): Mount[] {
  const references = new Map<DashboardFile, OriginCopies<DashboardFile>>();
  const atOrigin = (page: DashboardFile, request: Request, origin: string, caching: string) => {
    const copies = references.get(page) ?? new OriginCopies((origin) => withOrigin(page, origin));
    references.set(page, copies);
    const { copy, isKept } = copies.of(origin);
    const vary = "Accept-Encoding, Cookie";
    return isKept ? encoded(copy, request, caching, vary) : encoded(copy, request, caching, vary, "identity");
  };
  const serveGuide = (guide: DashboardFile, pathname: string): Serve =>
    showsOwnAddress(pathname)
      ? (request, { origin }) => atOrigin(guide, request, origin, "no-store")
      : (request) => encoded(guide, request, REVALIDATED, "Accept-Encoding");
  /** Throws "address-unknown", which comes before the method. */
  const find = (pathname: string): Serve => {
    if (!assets) {
      const failure = unavailable("The dashboard is not built on this server; its log says how to build it");
      return () => Promise.reject(failure);
    }
    if (pathname.startsWith(ASSETS)) return asset(assets, pathname.slice(ASSETS.length), IMMUTABLE);
    if (pathname === "/favicon.ico") return asset(assets, assets.icon, A_DAY);
    // People add a slash to a page's address. In the API an address with a slash is a different one.
    if (pathname.startsWith("/docs/") && pathname.endsWith("/"))
      return async () => new Response(null, { status: 308, headers: { Location: pathname.replace(/\/+$/, "") } });
    const guide = assets.guides.get(pathname);
    if (guide) return serveGuide(guide, pathname);
    if (!isPage(pathname)) throw addressUnknown();
    return async (request, client) => {
      const page = OUTSIDE.test(pathname)
        ? assets.pages.outside
        : pageAt(assets.pages, pathname, await isSignedIn(client).catch(trueWithoutStorage));
      if (pathname === "/docs") return atOrigin(page, request, client.origin, PRIVATE);
      return encoded(page, request, REVALIDATED, "Accept-Encoding, Cookie");
    };
  };
  return ["/dashboard", "/docs", "/favicon.ico"].map((prefix) => ({
    prefix,
    route: "dashboard",
    headers: ({ client }) => ({
      ...(prefix === "/docs" ? VERSION_HEADERS : {}),
      ...pageHeaders(isSecure(client.origin)),
    }),
    async fetch({ absolute: request, client }) {
      const serve = find(new URL(request.url).pathname);
      if (prefix === "/docs" && request.method === "OPTIONS") {
        return new Response(null, { status: 204, headers: optionsHeaders(DOCS_METHODS) });
      }
      const allowed = prefix === "/docs" ? DOCS_METHODS : READ_ONLY;
      if (!allowed.includes(request.method)) throw methodNotAllowed(request.method, allowed);
      return ledHome(request, homeOf) ?? serve(request, client);
    },
  }));
}

function ledHome(request: Request, homeOf: (host: string) => string | undefined): Response | undefined {
  const { pathname, search, hostname } = new URL(request.url);
  const home = pathname.startsWith(ASSETS) ? undefined : homeOf(hostname);
  return home === undefined
    ? undefined
    : new Response(null, { status: 307, headers: { Location: home + pathname + search } });
}

function isPage(pathname: string): boolean {
  return pathname === "/docs" || pathname === "/dashboard" || pathname.startsWith("/dashboard/");
}

function pageAt<File>({ outside, reference, framed, other }: Pages<File>, path: string, signedIn: boolean): File {
  if (signedIn) return framed[path] ?? other;
  return path === "/docs" ? reference : outside;
}

/** During an outage readers get the page they asked for, which reports the outage and tries again. */
function trueWithoutStorage(error: unknown): true {
  if (error instanceof Failure && error.code === "unavailable") return true;
  throw error;
}

function asset(assets: DashboardAssets, name: string, caching: string): Serve {
  const found = assets.files.get(name);
  if (!found) throw new Failure("address-unknown", "There is no such file in this version; load the page again");
  return (request) => encoded(found, request, caching, "Accept-Encoding");
}

/** The file with the public address in its examples, compressed once if it is asked for compressed. */
function withOrigin(file: DashboardFile, origin: string): DashboardFile {
  const text = file
    .identity()
    .then(async (blob) => (await blob.text()).replaceAll(BUILT_ORIGIN, Bun.escapeHTML(origin)));
  const once = (compress: (text: string) => Promise<Uint8Array<ArrayBuffer>>) => {
    let made: Promise<Blob> | undefined;
    return () => (made ??= text.then(async (each) => new Blob([await compress(each)])));
  };
  const [br, gzip] = [
    once(promisify<string, Uint8Array<ArrayBuffer>>(brotliCompress)),
    once(promisify<string, Uint8Array<ArrayBuffer>>(gzipped)),
  ];
  return {
    type: file.type,
    get br() {
      return br();
    },
    get gzip() {
      return gzip();
    },
    identity: async () => new Blob([await text]),
  };
}

async function encoded(
  file: DashboardFile,
  request: Request,
  caching: string,
  vary: string,
  encoding = preferredEncoding(request.headers.get("accept-encoding")),
): Promise<Response> {
  const content = encoding === "identity" ? await file.identity() : await file[encoding];
  // A client decodes the answer to GET and cannot compare it with the length of its encoded form, so HEAD tells none.
  const omitsLength = request.method === "HEAD" && encoding !== "identity";
  return new UncountedAnswer(omitsLength ? new ReadableStream() : content, {
    headers: {
      "Content-Type": file.type,
      "Cache-Control": caching,
      Vary: vary,
      ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    },
  });
}
