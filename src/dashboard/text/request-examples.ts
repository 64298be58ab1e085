/** A request to the API, with its body as text, so that every digit of an id is kept. */
export interface PreparedRequest {
  readonly method: string;
  /** Path and query, relative to the service's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Example {
  readonly language: "curl" | "TypeScript" | "Python" | "Go";
  readonly code: string;
}

export const TOKEN_PLACEHOLDER = "YOUR_TOKEN";

export function createRequest(id: string): PreparedRequest {
  const body = `{"id": ${id}, "name": "Monstera deliciosa", "tag": "indoor"}`;
  return { method: "POST", path: "/v1/plants", headers: { "Content-Type": "application/json" }, body };
}

/** The same request in each language, to be pasted and run unchanged. Without a token for one that needs none. */
export function requestExamples(origin: string, token: string | undefined, request: PreparedRequest): Example[] {
  const { method, path, headers, body } = request;
  const address = origin + path;
  const sent = Object.entries({ ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers });
  const curl = [
    `curl ${method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `}${shellText(address)}`,
    ...sent.map(([name, value]) => `-H ${shellText(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${shellText(body)}`]),
  ];
  const lines = (indent: string) => sent.map(([name, value]) => `${indent}${quoted(name)}: ${quoted(value)},`);
  const typeScript = [
    `const answer = await fetch(${quoted(address)}, {`,
    `  method: ${quoted(method)},`,
    ...(sent.length === 0 ? [] : ["  headers: {", ...lines("    "), "  },"]),
    ...(body === undefined ? [] : [`  body: ${literal(body, "`")},`]),
    "});",
    "console.log(answer.status, await answer.text());",
  ];
  const python = [
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${quoted(address)},`,
    `    method=${quoted(method)},`,
    ...(sent.length === 0 ? [] : ["    headers={", ...lines("        "), "    },"]),
    ...(body === undefined ? [] : [`    data=${literal(body, "'''")}.encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    "    print(answer.status, answer.read().decode())",
  ];
  return [
    { language: "curl", code: curl.join(" \\\n  ") },
    { language: "TypeScript", code: typeScript.join("\n") },
    { language: "Python", code: python.join("\n") },
  ];
}

function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** JSON's strings are also those of TypeScript and Python. */
function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A body as it reads best: between quotes that need no escapes where that is possible. */
function literal(text: string, blockQuote: string): string {
  if (/['`\\]|\$\{/.test(text)) return quoted(text);
  return text.includes("\n") ? blockQuote + text + blockQuote : `'${text}'`;
}
