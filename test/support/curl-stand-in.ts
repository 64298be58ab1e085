import { parseArgs } from "node:util";

/** Sends one request as curl would, as far as the documents' examples use curl. Any other option is an error. */
const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    header: { type: "string", short: "H", multiple: true },
    data: { type: "string", short: "d" },
    "data-binary": { type: "string" },
    silent: { type: "boolean", short: "s" },
    "show-error": { type: "boolean", short: "S" },
  },
});
const [url = ""] = positionals;
const headers = new Headers(
  values.header?.map((line): [string, string] => [line.split(":", 1)[0] ?? "", line.replace(/^[^:]*:\s*/, "")]),
);
const body = values.data ?? values["data-binary"];
const answer = await fetch(url, { method: body === undefined ? "GET" : "POST", headers, body });
process.stdout.write(await answer.text());
