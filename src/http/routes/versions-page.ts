import type { InterfaceVersion } from "#contract/version.ts";
import { VERSION_POLICY } from "#contract/version-policy.ts";
import type { Addresses } from "../routing.ts";

export const VERSIONS_PATH = "/docs/versions";
const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cache-Control": "no-cache",
};

/** The page that `Link: rel="deprecation"` and `rel="sunset"` refer to: the versions, and the policy for them. */
export function versionsPage(versions: readonly InterfaceVersion[]): Addresses {
  const html = page(versions);
  return { [VERSIONS_PATH]: { GET: (c) => c.body(html, 200, HEADERS) } };
}

function page(versions: readonly InterfaceVersion[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Versions of the Plantstore interface</title>
<style>:root { color-scheme: light dark; font: 100%/1.6 system-ui, sans-serif } main { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }</style>
</head>
<body>
<main>
<h1>Versions of the interface</h1>
<ul>
${VERSION_POLICY.map((promise) => `<li>${promise}</li>`).join("\n")}
</ul>
${versions.map(section).join("\n")}
</main>
</body>
</html>
`;
}

function section({ version, segments: [canonical], deprecatedAt, sunsetAt }: InterfaceVersion): string {
  const state = [
    deprecatedAt === undefined ? "" : `Deprecated since ${day(deprecatedAt)}.`,
    sunsetAt === undefined ? "" : `Ends on ${day(sunsetAt)}.`,
  ];
  const told = state.join(" ").trim() || "Current.";
  return `<h2 id="${version}">${version}</h2>\n<p>Under <code>/${canonical}</code>. ${told}</p>`;
}

function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
