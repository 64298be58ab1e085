import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";

/** Runs statements with `log` in a process of its own, since a log writes to the file descriptors of its process. */
async function written(options: object, statements: string): Promise<{ out: string; err: string }> {
  const path = new URL("./log.ts", import.meta.url).pathname;
  const given = { level: "info", format: "json", colors: false, ...options };
  const program = `const { createLog } = await import(${JSON.stringify(path)}); const log = createLog(${JSON.stringify(given)}); ${statements}`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(await child.exited).toBe(0);
  return { out, err };
}

const lines = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("a log in JSON", () => {
  test("has one line for each event, and of an error what helps, without what a driver adds to it", async () => {
    const failure = new URL("../core/failure.ts", import.meta.url).pathname;
    const { out } = await written(
      {},
      String.raw`const { Failure, unavailable } = await import(${JSON.stringify(failure)});
       log.info({ name: "a\nb" }, "made\na plant"); log.debug({}, "not this");
       const cause = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED", password: "hunter2", query: "SELECT" });
       log.error({ err: cause }, "fault"); log.error({ err: "only text" }, "another");
       log.error({ err: unavailable("Try again.", cause) }, "outage"); log.error({ err: new Failure("fault", "Sorry", { cause }) }, "refusal");`,
    );
    const [made, fault, another, outage, refusal] = lines(out);
    expect(made).toEqual({ level: "info", time: expect.any(String), name: "a\nb", msg: "made\na plant" });
    expect(made.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const told = { type: "TypeError", message: "refused", code: "ECONNREFUSED" };
    expect(fault.err).toEqual({ ...told, stack: expect.any(String) });
    expect(another.err).toEqual({ message: "only text" });
    // An outage is described by its cause without a stack.
    expect(outage.err).toEqual(told);
    expect(refusal.err).toEqual(fault.err);
  });
});

test("lines of one kind are written again after a minute, also if the clock has gone back meanwhile", async () => {
  const { out } = await written(
    {},
    `const [wall, passed] = [Date.now, performance.now()];
     Date.now = () => wall() + 3_600_000;
     log.warn({}, "refused");
     Date.now = wall;
     performance.now = () => passed + 61_000;
     log.warn({}, "refused");`,
  );
  expect(lines(out)).toHaveLength(2);
});

const TOKEN = `plant_${"a1B2c3".repeat(6)}`;

test.each(["json", "text"])(
  "no secret is in any part of a line as %s: field, message, error, or within a text",
  async (format) => {
    const { out } = await written(
      { format, level: "debug" },
      `const secret = ${JSON.stringify(TOKEN)}; const encoded = encodeURIComponent(secret).replaceAll("_", "%5F");
     log.debug({ path: "/v1/plants/" + secret, name: { nested: [secret, encoded] } }, "found " + secret);
     log.error({ err: new Error(JSON.stringify({ name: secret.replace("_", "\\u005f") })) }, "failed");
     log.warn({ url: "postgres://plants:hunter2@db/plants", key: "whsec_" + "x".repeat(32) }, "Bearer abc.def");`,
    );
    expect(out.match(/a1B2|hunter2|xxxx|abc\.def/g)).toBeNull();
    expect(out.match(/plant_…/g)?.length).toBeGreaterThanOrEqual(4);
  },
);

test("as text it writes no control character but line breaks, and JSON has each escaped", async () => {
  const statements = String.raw`log.info({ name: "a\u009b2J\u001b[2Jb\u202e\u007f" }, "made\u009b\u001b[2J");
    log.error({ err: new Error("x\u009b\u001b[31m\u0007y") }, "failed");`;
  const [text, json] = [await written({ format: "text" }, statements), await written({}, statements)];
  for (const { out } of [text, json]) expect(out.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(text.out).toContain("\\u001b[31m");
  expect(lines(json.out)[0]).toMatchObject({ name: "a\u009b2J\u001b[2Jb\u202e\u007f", msg: "made\u009b\u001b[2J" });
});

test("a reader that stops reading costs lines, which are counted, and never holds up who logs", async () => {
  const path = new URL("./log.ts", import.meta.url).pathname;
  const wrote = join(temporaryFolder(), "wrote");
  const program = `const { createLog } = await import(${JSON.stringify(path)});
    const log = createLog({ level: "info", format: "json", colors: false });
    const text = "x".repeat(1000);
    for (let at = 0; at < 5000; at++) { log.info({ at, text }, "line"); if (at % 100 === 0) await Bun.sleep(0); }
    await Bun.write(${JSON.stringify(wrote)}, String(log.lostLines));`;
  // The reader begins when all lines were written, or after a hundred seconds if they never are.
  const reading = '"$0" -e "$1" | { for i in $(seq 2000); do [ -s "$2" ] && break; sleep 0.05; done; cat; }';
  const child = Bun.spawn(["sh", "-c", reading, process.execPath, program, wrote], { stdout: "pipe" });
  const read = lines(await new Response(child.stdout).text());
  const lost = Number(readFileSync(wrote, "utf8"));
  expect(lost).toBeGreaterThan(3000);
  expect(read.filter(({ msg }) => msg === "line")).toHaveLength(5000 - lost);
  expect(read.at(-1)).toMatchObject({ level: "warn", msg: "lines of the log were lost", count: lost });
});
