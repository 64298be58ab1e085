import { parseArgs } from "node:util";

/** The options of curl that the documents' examples use. */
export const CURL_OPTIONS = {
  header: { type: "string", short: "H", multiple: true },
  data: { type: "string", short: "d" },
  "data-binary": { type: "string" },
  output: { type: "string", short: "o" },
  silent: { type: "boolean", short: "s" },
  "show-error": { type: "boolean", short: "S" },
  "fail-with-body": { type: "boolean" },
} as const;

/** Sends one request as curl would. Any other option is an error. */
async function request(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: CURL_OPTIONS });
  const [url = ""] = positionals;
  const headers = new Headers(
    values.header?.map((line): [string, string] => [line.split(":", 1)[0] ?? "", line.replace(/^[^:]*:\s*/, "")]),
  );
  const data = values.data ?? values["data-binary"];
  const body = data?.startsWith("@") ? await (data === "@-" ? Bun.stdin : Bun.file(data.slice(1))).bytes() : data;
  const answer = await fetch(url, { method: body === undefined ? "GET" : "POST", headers, body });
  await Bun.write(values.output ?? Bun.stdout, await answer.bytes());
  if (values["fail-with-body"] && !answer.ok) process.exitCode = 22;
}

if (import.meta.main) await request(process.argv.slice(2));
