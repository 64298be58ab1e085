import { describe, expect, test } from "bun:test";

/** Runs statements with `log` in a process of its own, since a log writes to the file descriptors of its process. */
async function written(options: object, statements: string): Promise<{ out: string; err: string }> {
  const path = new URL("./log.ts", import.meta.url).pathname;
  const given = { level: "info", format: "json", colors: false, output: "stdout", ...options };
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
  test("has one line for each event, with its level by name and its time, also for text with line breaks", async () => {
    const { out } = await written(
      {},
      String.raw`log.info({ name: "a\nb" }, "made\na plant"); log.debug({}, "not this");`,
    );
    const [line, ...more] = lines(out);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: "info", name: "a\nb", msg: "made\na plant" });
    expect(line.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.keys(line).sort()).toEqual(["level", "msg", "name", "time"]);
  });

  test("has of an error what helps, and nothing else that a driver adds to it", async () => {
    const { out } = await written(
      {},
      `const error = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED", password: "hunter2", query: "SELECT" });
       log.error({ err: error }, "fault"); log.error({ err: "only text" }, "another");`,
    );
    const [fault, another] = lines(out);
    expect(fault.err).toMatchObject({ type: "TypeError", message: "refused", code: "ECONNREFUSED" });
    expect(Object.keys(fault.err).sort()).toEqual(["code", "message", "stack", "type"]);
    expect(out).not.toContain("hunter2");
    expect(another.err).toEqual({ message: "only text" });
  });

  test("sums up what is repeated, and writes all sums where the service stops", async () => {
    const { out } = await written(
      {},
      `for (let at = 0; at < 50; at++) log.warn({ part: "mail" }, "failed"); log.warn({ part: "backup" }, "failed");
       log.writeSummaries(Date.now()); log.writeSummaries(Infinity); log.writeSummaries(Infinity);`,
    );
    const all = lines(out);
    expect(all.filter(({ msg, part }) => msg === "failed" && part === "mail")).toHaveLength(20);
    expect(all.filter(({ part }) => part === "backup")).toHaveLength(1);
    expect(all.filter(({ msg }) => msg === "repeated: failed")).toMatchObject([{ part: "mail", count: 30 }]);
  });
});

test("a log as text has no JSON and no colours unless it is asked for them, and leaves standard output to the command", async () => {
  const { out, err } = await written({ format: "text", output: "stderr" }, 'log.info({ plants: 3 }, "made a backup");');
  expect(out).toBe("");
  expect(err).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: made a backup\n\s+plants: 3\n$/);
});
