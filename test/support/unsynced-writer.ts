import { dlopen, ptr } from "bun:ffi";
import { constants } from "node:os";
import { openStorage } from "#storage/open.ts";

/**
 * A process for tests, on Linux: `bun unsynced-writer.ts URL ACCOUNT opened|opening fail|kill` creates the plant 1, prints
 * how that ended, and is killed. Once it has opened the database, or before, each fsync fails as on a broken disk, or
 * ends the process before it reaches the disk.
 */
const [url = "", account, from, end] = process.argv.slice(2);
if (from === "opening") breakSyncs();
const { records } = await openStorage(url);
const create = (id: bigint) => records.plants.create(Number(account), { id, name: "Fern", tag: undefined });
// The first transaction flushes the head of the log before it writes its rows.
if (from === "opened") await create(0n);
if (from === "opened") breakSyncs();
console.log(await create(1n).catch(({ code, message }) => `${code}: ${message}`));
process.kill(process.pid, "SIGKILL");

/** A filter of system calls (seccomp(2)), in classic BPF: load the number of the call, compare, return. */
function breakSyncs(): void {
  const { symbols } = dlopen("libc.so.6", { prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" } });
  const [fsync, fdatasync] = process.arch === "arm64" ? [82, 83] : [74, 75];
  const [allowed, broken] = [0x7fff0000, end === "kill" ? 0x80000000 : 0x00050000 | constants.errno.EIO];
  const program = Buffer.concat([
    step(0x20, 0, 0, 0),
    step(0x15, 1, 0, fsync),
    step(0x15, 0, 1, fdatasync),
    step(0x06, 0, 0, broken),
    step(0x06, 0, 0, allowed),
  ]);
  const described = new BigUint64Array([5n, BigInt(ptr(program))]);
  const [PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER] = [38, 22, 2];
  const failed =
    symbols.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
    symbols.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ptr(described), 0, 0);
  if (failed) throw new Error("The system takes no filter of calls");
}

function step(code: number, ifTrue: number, ifFalse: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifTrue, 2);
  bytes.writeUInt8(ifFalse, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
