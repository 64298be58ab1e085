import { expect, test } from "bun:test";
import { type Example, examples } from "./examples.ts";

const plant = { id: "9007199254740993", name: "Monstera deliciosa", tag: "indoor" };

/** Runs each example as it is shown, and gives what arrived at the address that it names. */
async function received(language: Example["language"], command: (file: string) => string[], extension: string) {
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
  const child = Bun.spawn(command(file), { stdout: "pipe", stderr: "pipe" });
  const [printed] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  await Bun.file(file).delete();
  await server.stop(true);
  return { seen, printed };
}

const SENT = { path: "/v1/plants", authorization: "Bearer plant_x" };

test.each([
  ["curl", (file: string) => ["sh", file], "sh"],
  ["TypeScript", (file: string) => [process.execPath, file], "ts"],
  ["Python", (file: string) => ["python3", file], "py"],
] as const)(
  "the %s example runs as it is shown, and sends the plant with its token",
  async (language, command, extension) => {
    if (!Bun.which(language === "Python" ? "python3" : "sh")) return console.log(`${language} is not on this machine`);
    const { seen, printed } = await received(language, command, extension);
    expect(seen).toEqual([{ ...SENT, body: expect.stringContaining('"Monstera deliciosa"') }]);
    expect(printed).toContain("indoor");
  },
);
