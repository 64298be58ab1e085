import { Failure, unavailable } from "#core/failure.ts";
import { refusal } from "../answer.ts";
import type { Log, Mount } from "../service.ts";

/** One built file of the dashboard, at an address that its content names. */
export interface DashboardFile {
  readonly type: string;
  readonly identity: Uint8Array<ArrayBuffer>;
  readonly br: Uint8Array<ArrayBuffer>;
  readonly gzip: Uint8Array<ArrayBuffer>;
}

/** The dashboard as it is served: what the page's head and body load, and the files by the last part of their path. */
export interface DashboardBundle {
  readonly head: string;
  readonly body: string;
  readonly files: ReadonlyMap<string, DashboardFile>;
}

interface DashboardSource {
  /** The bundle, if it is ready. */
  readonly ready: DashboardBundle | undefined;
  /** Waits for the bundle, and makes it if need be; rejects if it cannot be made, and may be asked again. */
  bundle(): Promise<DashboardBundle>;
}

export interface DashboardPages {
  readonly source: DashboardSource;
  /** What every page carries: content security policy and the like. */
  headers(request: Request): Readonly<Record<string, string>>;
  readonly log: Log;
}

const ASSETS = "/dashboard/assets/";
const IMMUTABLE = "public, max-age=31536000, immutable";
const READ_ONLY = new Set(["GET", "HEAD"]);

/**
 * The dashboard's pages: every address below /dashboard gets the same page, which reads the address by itself; what it
 * loads stands below /dashboard/assets under names that change with the content.
 */
export function dashboardPages(pages: DashboardPages): Mount {
  return {
    prefix: "/dashboard",
    async fetch(request, requestId) {
      const answer = await answered(pages, request).catch((error) => refusal(error, requestId));
      for (const [name, value] of Object.entries(pages.headers(request))) answer.headers.set(name, value);
      answer.headers.set("Request-Id", requestId);
      return request.method === "HEAD" ? new Response(null, answer) : answer;
    },
  };
}

async function answered(pages: DashboardPages, request: Request): Promise<Response> {
  if (!READ_ONLY.has(request.method)) {
    const headers = { Allow: "GET, HEAD" };
    throw new Failure("method-not-allowed", `${request.method} is not allowed here; GET and HEAD are`, { headers });
  }
  const { pathname } = new URL(request.url);
  return pathname.startsWith(ASSETS) ? asset(pages, request, pathname.slice(ASSETS.length)) : page(pages);
}

async function asset(pages: DashboardPages, request: Request, name: string): Promise<Response> {
  const bundle = await pages.source.bundle().catch((cause) => {
    throw unavailable("The dashboard could not be prepared; the service's log says why", cause);
  });
  const file = bundle.files.get(name);
  if (!file) throw new Failure("address-unknown", "There is no such file in this version; load the page again");
  const encoding = preferredEncoding(request.headers.get("accept-encoding") ?? "");
  return new Response(file[encoding], {
    headers: {
      "Content-Type": file.type,
      "Cache-Control": IMMUTABLE,
      Vary: "Accept-Encoding",
      ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }),
    },
  });
}

type Encoding = "br" | "gzip" | "identity";

/** The best of ours that the client takes (RFC 9110, 12.5.3); one with a weight of 0 is refused. */
export function preferredEncoding(header: string): Encoding {
  const taken = new Set<string>();
  for (const part of header.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    if (!parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) taken.add(coding);
  }
  if (taken.has("br")) return "br";
  return taken.has("gzip") ? "gzip" : "identity";
}

function page(pages: DashboardPages): Response {
  const headers = { "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-cache" };
  const { ready } = pages.source;
  return ready
    ? new Response(opening(ready.head) + closing(ready.body), { headers })
    : new Response(pageInProgress(pages), { headers });
}

/** Says at once that the dashboard is being prepared, and goes on with the page when it is: no reload is needed. */
function pageInProgress(pages: DashboardPages): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async start(controller) {
      const send = (html: string) => controller.enqueue(encoder.encode(html));
      send(opening("", '<p role="status">Preparing the dashboard. This happens once after an update.</p>'));
      try {
        const bundle = await pages.source.bundle();
        send(bundle.head + closing(bundle.body));
      } catch (error) {
        pages.log.error({ err: error }, "the dashboard could not be built");
        send(`${FAILED}</body></html>`);
      }
      controller.close();
    },
  });
}

const FAILED = `<p role="alert">The dashboard could not be prepared; the service's log says why. The API is not affected.
<a href="/dashboard">Try again</a></p>`;

function opening(head: string, content = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The dashboard of Plantstore: plants, tokens and usage.">
<title>Plantstore</title>
${head}</head>
<body>
<div id="root">${content}</div>
<noscript>The dashboard needs JavaScript. The API does not: see <a href="/docs">the reference</a>.</noscript>
`;
}

function closing(body: string): string {
  return `${body}</body>\n</html>\n`;
}
