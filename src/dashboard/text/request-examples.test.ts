import { afterEach, beforeEach, expect } from "bun:test";
import { PATH_WITH_CURL } from "#test/support/curl.ts";
import { missingProgram, testUnless } from "#test/support/skipped.ts";
import { type PreparedRequest, requestExamples } from "./request-examples.ts";

const PROGRAMS = [
  ["curl", "sh"],
  ["TypeScript", process.execPath],
  ["Python", "python3"],
] as const;

const BODY = '{"id": 9007199254740993, "name": "Ma\'s \\"fern\\""}';
const CREATE: PreparedRequest = {
  method: "POST",
  path: "/v1/plants?q=it%27s",
  headers: { "Content-Type": "application/json" },
  body: BODY,
};

let seen: (string | null)[];
let server: Bun.Server<undefined>;
beforeEach(() => {
  seen = [];
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      seen.push(`${request.method} ${pathname}${search}`, request.headers.get("authorization"), await request.text());
      return new Response("it's there");
    },
  });
});
afterEach(() => server.stop(true));

/** Runs the example as it is shown, and returns its output. */
async function printed(code: string, program: string): Promise<string> {
  const file = `${process.env.TMPDIR ?? "/tmp"}/plantstore-example-${process.pid}.ts`;
  await Bun.write(file, code);
  const env = { ...process.env, PATH: PATH_WITH_CURL };
  const child = Bun.spawn([program, file], { env, stdout: "pipe", stderr: "pipe" });
  const [output] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  await Bun.file(file).delete();
  return output;
}

for (const [language, program] of PROGRAMS) {
  testUnless(missingProgram(program), `the ${language} example runs as it stands, and sends just that`, async () => {
    const origin = server.url.origin;
    const read = { method: "GET", path: "/healthz", headers: {}, body: undefined };
    for (const [token, request] of [["plant_x", CREATE] as const, [undefined, read] as const]) {
      const example = requestExamples(origin, token, request).find((each) => each.language === language);
      expect(await printed(example?.code ?? "", program)).toContain("it's there");
    }
    expect(seen).toEqual(["POST /v1/plants?q=it%27s", "Bearer plant_x", BODY, "GET /healthz", null, ""]);
  });
}
