import { connect, createServer, type Socket } from "node:net";

/** A small load balancer: one address that leads to the server it follows. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections it has accepted. */
  accepted(): number;
  /** Leads new connections to that port from now on, and closes open ones. */
  follow(port: number): void;
  /** Closes open connections and refuses new ones until it follows a server again. */
  cut(): void;
  /** Accepts connections but forwards nothing, as if a cable had been pulled. */
  hold(): void;
  close(): void;
}

export async function startTcpProxy(target: number | undefined): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let held = false;
  let accepted = 0;
  const server = createServer((client) => {
    accepted++;
    track(client);
    if (target === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(target, "127.0.0.1");
    track(upstream);
    client.on("data", (chunk) => held || upstream.write(chunk));
    upstream.on("data", (chunk) => held || client.write(chunk));
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
  });
  function track(socket: Socket): void {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => open.delete(socket));
  }
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (!address || typeof address !== "object") throw new Error("The proxy has no address");
  return {
    port: address.port,
    accepted: () => accepted,
    follow(port) {
      held = false;
      target = port;
      cut();
    },
    cut() {
      target = undefined;
      cut();
    },
    hold() {
      held = true;
    },
    close() {
      server.close();
      cut();
    },
  };
}
