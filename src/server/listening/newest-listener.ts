import { readdirSync } from "node:fs";

/** <asm-generic/socket.h>, with the same values on each architecture that the runtime has. */
const SOL_SOCKET = 1;
const SO_ACCEPTCONN = 30;
const SO_ATTACH_REUSEPORT_CBPF = 51;

/**
 * Sends new connections to the newer one of two sockets that listen on one port, in this process or in two (Linux). The
 * older one can then end with nothing in its queue, which the kernel would reset. Elsewhere both take connections
 * (decision 21).
 */
export function preferNewestListener(): void {
  if (process.platform !== "linux") return;
  try {
    // Loaded on use, since most services do not need it. By glibc's name musl gives itself too.
    const { dlopen, ptr } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
    const { symbols, close } = dlopen("libc.so.6", {
      getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" },
      setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
    });
    // A program (struct sock_fprog) of one instruction, which follows it: return 1, the second socket of the port. Where there
    // is none, the kernel goes on as without a program.
    const program = BigUint64Array.of(1n, 0n, 0x1_0000_0006n);
    program[1] = BigInt(ptr(program) + 16);
    // The runtime does not tell the numbers of its sockets. Connections are passed over, since the kernel would make a
    // program for each, in 12 µs, before it refuses; a listener that shares no port refuses.
    const listens = Int32Array.of(0);
    const size = Uint32Array.of(listens.byteLength);
    for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
      const isSocket = symbols.getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, ptr(listens), ptr(size)) === 0;
      if (!isSocket || listens[0] === 0) continue;
      symbols.setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, ptr(program), 2 * program.BYTES_PER_ELEMENT);
    }
    close();
  } catch {
    // A machine may hide /proc, or have another library.
  }
}
