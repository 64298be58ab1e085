/** Systems give ports of 32768 and above to sockets that ask for any port, and to outgoing connections. */
const FIRST = 10_000;
const LAST = 32_000;
const given = new Set<number>();

/**
 * A port of the loopback that is free, for a server whose port must be known before it starts. No other test is given
 * it in the meantime, since it is none of those that the system gives out by itself.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    if (given.has(port) || !isFree(port)) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true);
    return true;
  } catch {
    return false;
  }
}
