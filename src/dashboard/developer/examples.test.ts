import { expect } from "bun:test";
import { PATH_WITH_CURL } from "#test/support/curl.ts";
import { missingProgram, testUnless } from "#test/support/skipped.ts";
import type { Example } from "../components/example-block.tsx";
import { examples } from "./examples.ts";

const plant = { id: "9007199254740993", name: "Monstera deliciosa", tag: "indoor" };

/** Runs each example as it is shown, and gives what arrived at the address that it names. */
async function received(language: Example["language"], program: string, extension: string) {
  const seen: { path: string; authorization: string | null; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const { pathname: path } = new URL(request.url);
      seen.push({ path, authorization: request.headers.get("authorization"), body: await request.text() });
      return Response.json({ name: plant.name, tag: plant.tag });
    },
  });
  const shown = examples(server.url.origin, "plant_x", plant).find((example) => example.language === language);
  const file = `${process.env.TMPDIR ?? "/tmp"}/plantstore-example-${process.pid}.${extension}`;
  await Bun.write(file, shown?.code ?? "");
  const child = Bun.spawn([program, file], {
    env: { ...process.env, PATH: PATH_WITH_CURL },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [printed] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  await Bun.file(file).delete();
  await server.stop(true);
  return { seen, printed };
}

const SENT = { path: "/v1/plants", authorization: "Bearer plant_x" };

for (const [language, program, extension] of [
  ["curl", "sh", "sh"],
  ["TypeScript", process.execPath, "ts"],
  ["Python", "python3", "py"],
] as const) {
  const name = `the ${language} example runs as it is shown, and sends the plant with its token`;
  testUnless(missingProgram(program), name, async () => {
    const { seen, printed } = await received(language, program, extension);
    expect(seen).toEqual([{ ...SENT, body: expect.stringContaining('"Monstera deliciosa"') }]);
    expect(printed).toContain("indoor");
  });
}
