import { expect } from "bun:test";
import { chownSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "#test/support/eventually.ts";
import { hasEnded } from "#test/support/process.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { testUnless } from "#test/support/skipped.ts";
import { isRunning, pidFile, readPidFile, removePidFile, writePidFile } from "./pid-file.ts";

const NOT_LINUX = process.platform === "linux" ? undefined : "servers hand over on Linux only";
const file = pidFile(join(temporaryFolder(), "plantstore.db"));

function write(pid: number, start: string): void {
  writeFileSync(file, `${pid}\n${start}\n3000\n`);
}

testUnless(NOT_LINUX, "a pid file names a server while it runs, and is removed by that server alone", () => {
  writePidFile(file, 3000, []);
  expect(readPidFile(file)).toEqual([{ pid: process.pid, start: startOf(process.pid), port: 3000 }]);
  write(process.ppid, startOf(process.ppid));
  removePidFile(file);
  expect(readPidFile(file)).toMatchObject([{ pid: process.ppid }]);
  writePidFile(file, 3000, []);
  removePidFile(file);
  expect(readPidFile(file)).toEqual([]);
});

testUnless(NOT_LINUX, "a server is still found if the newer one was killed before it told it to leave", () => {
  const older = { pid: process.ppid, start: startOf(process.ppid), port: 3000 };
  writePidFile(file, 3000, [older]);
  expect(readPidFile(file)).toMatchObject([{ pid: process.pid }, older]);
  writeFileSync(file, readFileSync(file, "utf8").replace(startOf(process.pid), "1"));
  expect(readPidFile(file)).toEqual([older]);
});

testUnless(NOT_LINUX, "another process with the number of an ended server is not taken for it", () => {
  write(process.pid, "1");
  expect(readPidFile(file)).toEqual([]);
  for (const text of ["", "\n\n", "x\ny\nz\n"]) {
    writeFileSync(file, text);
    expect(readPidFile(file)).toEqual([]);
  }
});

testUnless(
  NOT_LINUX,
  "a process of another user than the file's is told nothing, nor is one that a link's file names",
  () => {
    // Process 1 belongs to root.
    write(1, startOf(1));
    if (process.getuid?.() === 0) chownSync(file, 65534, 65534);
    expect(() => readPidFile(file)).toThrow(`${file} names a process (1) of another user than its own`);
    removePidFile(file);
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    writeFileSync(`${file}.other`, `${process.pid}\n${startOf(process.pid)}\n3000\n`);
    symlinkSync(`${file}.other`, file);
    expect(readPidFile(file)).toEqual([]);
    rmSync(file);
  },
);

testUnless(NOT_LINUX, "a server that has ended, and whose parent has not waited for it, does not run", async () => {
  // The shell that becomes `sleep` has a child that it never waits for.
  const parent = Bun.spawn(["sh", "-c", "sleep 60 & echo $!; exec sleep 60"], { stdout: "pipe" });
  try {
    const { value } = await parent.stdout.getReader().read();
    const pid = Number(new TextDecoder().decode(value));
    const server = { pid, start: startOf(pid) };
    expect(isRunning(server)).toBe(true);
    const isSleep = () => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n";
    await eventually("the shell, which might wait for it, is gone", isSleep);
    process.kill(pid, "SIGKILL");
    await eventually("the server has ended", () => hasEnded(pid));
    expect(isRunning(server)).toBe(false);
  } finally {
    parent.kill("SIGKILL");
    await parent.exited;
  }
});

function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}
