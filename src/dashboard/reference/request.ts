import type { Example } from "../components/example-block.tsx";
import { exampleText, type OpenApiDocument, type Operation, resolved, type Schema } from "./openapi.ts";

/** The values that the reader filled in for an operation. Everything is text, so that every digit of an id is kept. */
export interface RequestForm {
  readonly parameters: Readonly<Record<string, string>>;
  readonly mediaType: string;
  readonly body: string;
}

export function emptyForm(document: OpenApiDocument, { parameters, body }: Operation): RequestForm {
  const [mediaType = "", media] = Object.entries(body?.content ?? {})[0] ?? [];
  const filled = parameters
    .filter(({ required }) => required)
    .map((parameter) => {
      const { examples } = resolved<Schema>(document, parameter.schema);
      return [parameter.name, String(parameter.example ?? examples?.[0] ?? "")];
    });
  return { parameters: Object.fromEntries(filled), mediaType, body: exampleText(document, media) ?? "" };
}

export interface PreparedRequest {
  readonly method: Operation["method"];
  /** With its query, below the service's address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export function preparedRequest(operation: Operation, form: RequestForm): PreparedRequest {
  const given = operation.parameters.filter(({ name }) => (form.parameters[name] ?? "") !== "");
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const parameter of operation.parameters) {
    if (parameter.in !== "path") continue;
    path = path.replace(`{${parameter.name}}`, encodeURIComponent(form.parameters[parameter.name] ?? ""));
  }
  for (const { in: where, name } of given) {
    const value = form.parameters[name] ?? "";
    if (where === "query") query.append(name, value);
    if (where === "header") headers[name] = value;
  }
  const body = operation.body && form.body !== "" ? form.body : undefined;
  if (body !== undefined) headers["Content-Type"] = form.mediaType;
  return { method: operation.method, path: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

/** The same request in each language, as one would write it. A body goes in as text, so that its numbers stay exact. */
export function requestExamples(origin: string, token: string | undefined, request: PreparedRequest): Example[] {
  const address = origin + request.path;
  const headers = { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...request.headers };
  return [
    { language: "curl", code: curl(address, headers, request) },
    { language: "TypeScript", code: typeScript(address, headers, request) },
    { language: "Python", code: python(address, headers, request) },
  ];
}

type Headers = Readonly<Record<string, string>>;

function curl(address: string, headers: Headers, { method, body }: PreparedRequest): string {
  const parts = [
    `curl ${method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `}${quoted(address)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body)}`]),
  ];
  return parts.join(" \\\n  ");
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function typeScript(address: string, headers: Headers, { method, body }: PreparedRequest): string {
  const lines = [
    `const answer = await fetch(${JSON.stringify(address)}, {`,
    `  method: "${method}",`,
    ...(Object.keys(headers).length === 0 ? [] : ["  headers: {", ...headerLines(headers, "    "), "  },"]),
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)},`]),
    "});",
    "console.log(answer.status, await answer.text());",
  ];
  return lines.join("\n");
}

function python(address: string, headers: Headers, { method, body }: PreparedRequest): string {
  const lines = [
    "import urllib.request",
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(address)},`,
    `    method="${method}",`,
    ...(Object.keys(headers).length === 0 ? [] : ["    headers={", ...headerLines(headers, "        "), "    },"]),
    ...(body === undefined ? [] : [`    data=${JSON.stringify(body)}.encode(),`]),
    ")",
    "with urllib.request.urlopen(request) as answer:",
    "    print(answer.status, answer.read().decode())",
  ];
  return lines.join("\n");
}

function headerLines(headers: Headers, indent: string): string[] {
  return Object.entries(headers).map(([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)},`);
}
