import { isSecure } from "#core/client-info.ts";
import { VERSION_HEADERS } from "../answer.ts";
import type { Mount } from "../mount.ts";
import { chooseRepresentation } from "../negotiation.ts";
import { pageHeaders } from "../page-headers.ts";
import { addressUnknown, methodNotAllowed } from "../refusals.ts";
import { optionsHeaders } from "../routing.ts";

/** A client or the command line, ready to be installed. */
export interface Download {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The checksum in hexadecimal. */
  readonly sha256: string;
}

const PREFIX = "/downloads";
const METHODS = ["GET", "HEAD", "OPTIONS"];
const COMMANDS: readonly (readonly [file: RegExp, title: string, command: string])[] = [
  [/^plantstore-client-.*\.tgz$/, "The client in TypeScript", "npm install"],
  [/\.whl$/, "The client in Python", "pip install"],
  [/^plantstore-cli-/, "The command line, for Node 20.19 and later", "npm install --global"],
];

/** Serves the client packages to anybody; no token is needed. */
export function downloadsMount(files: readonly Download[]): Mount {
  return {
    prefix: PREFIX,
    route: "dashboard",
    headers: ({ client }) => ({ ...VERSION_HEADERS, ...pageHeaders(isSecure(client.origin)) }),
    async fetch({ absolute: { url, method, headers }, client }) {
      const { pathname } = new URL(url);
      const file = files.find(({ name }) => pathname === `${PREFIX}/${name}`);
      if (pathname !== PREFIX && !file) throw addressUnknown();
      if (method === "OPTIONS") return new Response(null, { status: 204, headers: optionsHeaders(METHODS) });
      if (!METHODS.includes(method)) throw methodNotAllowed(method, METHODS);
      return file ? handedOut(file) : listed(files, client.origin, headers.get("accept"));
    },
  };
}

/** It is counted as an answer of its length, as any large one. */
function handedOut({ name, bytes }: Download): Response {
  const type = /\.(tgz|whl)$/.test(name) ? "application/octet-stream" : "text/plain; charset=utf-8";
  return new Response(bytes.slice(), {
    headers: { "Content-Type": type, "Cache-Control": "no-cache" },
  });
}

/** The addresses are those of the request, so that no cache keeps them. */
function listed(files: readonly Download[], origin: string, accept: string | null): Response {
  const type = chooseRepresentation(accept, ["text/html", "application/json"]);
  const headers = { "Cache-Control": "no-store", Vary: "Accept" };
  if (type === "text/html") {
    return new Response(page(files, origin), { headers: { ...headers, "Content-Type": "text/html; charset=utf-8" } });
  }
  const records = files.map(({ name, bytes, sha256 }) => ({ name, bytes: bytes.length, sha256 }));
  return Response.json({ data: records }, { headers });
}

function page(files: readonly Download[], origin: string): string {
  const items = files.map(({ name, bytes, sha256 }) => {
    const [, title, command] = COMMANDS.find(([pattern]) => pattern.test(name)) ?? [/./, "Checksums", undefined];
    const install =
      command === undefined ? "" : `<pre>${Bun.escapeHTML(`${command} ${origin}${PREFIX}/${name}`)}</pre>`;
    return `<h2>${title}</h2>
<p><a href="${PREFIX}/${name}">${name}</a>, ${bytes.length.toLocaleString("en")} bytes</p>
${install}
<p class="sum">SHA-256 ${sha256}</p>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Downloads · Plantstore</title>
<style>${STYLE}</style>
<main>
<h1>Downloads</h1>
<p>Programs for this service at ${Bun.escapeHTML(origin)}, in its own version. <a href="/docs">Reference</a></p>
${items.join("\n")}
</main>
</html>
`;
}

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem 1rem}
main{max-width:48rem;margin:auto}h2{font-size:1.1rem;margin-top:2rem}
pre{overflow-x:auto;padding:.75rem;border:1px solid;border-radius:.25rem}.sum{font-size:.8rem;overflow-wrap:anywhere}`;
