import { expect, test } from "bun:test";
import { endedProcess } from "#test/support/ended-process.ts";
import { describeRecords } from "#test/support/test-records.ts";
import { newMark } from "#threads/process-mark.ts";

describeRecords("on %s", (testRecords, engine) => {
  test("one holder at a time has a lease, over all processes, and may renew it", async () => {
    const lease = { name: "sweep", durationMs: 60_000 };
    const other = await testRecords.another();
    const [here, there] = [testRecords.records.leases, other.records.leases];
    const taken = await Promise.all([
      here.acquire({ ...lease, holder: "a" }),
      there.acquire({ ...lease, holder: "b" }),
    ]);
    expect(taken.filter((each) => each)).toHaveLength(1);
    const holder = taken[0] ? "a" : "b";
    expect(await there.acquire({ ...lease, holder })).toBe(true);
    expect(await there.acquire({ ...lease, holder: "c" })).toBe(false);
    expect(await there.acquire({ ...lease, name: "another", holder: "c" })).toBe(true);
    await other.records.close();
  });

  test("a lease that was released, or has run out, is free", async () => {
    const { leases } = testRecords.records;
    expect(await leases.acquire({ name: "released", holder: "a", durationMs: 60_000 })).toBe(true);
    await leases.release({ name: "released", holder: "b" });
    expect(await leases.acquire({ name: "released", holder: "b", durationMs: 60_000 })).toBe(false);
    await leases.release({ name: "released", holder: "a" });
    expect(await leases.acquire({ name: "released", holder: "b", durationMs: 60_000 })).toBe(true);
    expect(await leases.acquire({ name: "short", holder: "a", durationMs: 0 })).toBe(true);
    expect(await leases.acquire({ name: "short", holder: "b", durationMs: 60_000 })).toBe(true);
  });

  test("a lease that ends further ahead than it can have been set is free: the clock was wrong then", async () => {
    const { leases } = testRecords.records;
    const lease = { name: "far ahead", durationMs: 60_000 };
    await leases.acquire({ ...lease, holder: "a" });
    const ends = (ms: number) => testRecords.storage.db.updateTable("leases").set({ expires_at: Date.now() + ms });
    await ends(90_000).where("name", "=", lease.name).execute();
    expect(await leases.acquire({ ...lease, holder: "b" })).toBe(false);
    await ends(3_600_000).where("name", "=", lease.name).execute();
    expect(await leases.acquire({ ...lease, holder: "b" })).toBe(true);
    expect(await leases.acquire({ ...lease, holder: "a" })).toBe(false);
  });

  test("a lease of a process that was killed is free at once, where it can be seen, and one of a process that runs is not", async () => {
    const { leases } = testRecords.records;
    const lease = { name: "killed", durationMs: 60_000 };
    const marked = (pid: number) => newMark().replace(`-${process.pid}-`, `-${pid}-`);
    const ended = marked(await endedProcess());
    await leases.acquire({ ...lease, holder: ended });
    expect(await leases.acquire({ ...lease, holder: marked(process.ppid) })).toBe(true);
    expect(await leases.acquire({ ...lease, holder: newMark() })).toBe(false);
    // Of a container of the same name: only SQLite's processes share a file.
    const other = { ...lease, name: "in another container" };
    await leases.acquire({ ...other, holder: ended.replace(/-n\d+-/, "-n1-") });
    expect(await leases.acquire({ ...other, holder: newMark() })).toBe(engine === "sqlite");
  });
});
