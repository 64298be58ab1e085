import { connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

/** A forward proxy on the loopback (RFC 9110, 9.3.6 and RFC 9112, 3.2.2) that resolves every name to one address. */
export class EgressProxy {
  /** The first line of each request. */
  readonly asked: string[] = [];
  readonly #server: Server;

  private constructor(
    address: string,
    private readonly certificate: Certificate | undefined,
  ) {
    const serve = (client: Socket) => {
      client.on("error", () => client.destroy());
      client.once("data", (head: Buffer) => this.#forward(client, head.toString("latin1"), address));
    };
    this.#server = certificate ? createTlsServer(certificate, serve) : createServer(serve);
  }

  /** With a certificate the proxy itself is spoken to over TLS. */
  static async start(address: string, certificate?: Certificate): Promise<EgressProxy> {
    const proxy = new EgressProxy(address, certificate);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number };
    return `${this.certificate ? "https" : "http"}://127.0.0.1:${port}`;
  }

  stop(): void {
    this.#server.close();
  }

  #forward(client: Socket, head: string, host: string): void {
    const [line = ""] = head.split("\r\n");
    this.asked.push(line);
    const [method, target = ""] = line.split(" ");
    const isTunnel = method === "CONNECT";
    const { port, pathname } = new URL(isTunnel ? `http://${target}` : target);
    const upstream = connect(Number(port), host);
    upstream.on("error", () => client.destroy());
    upstream.once("connect", () => {
      if (isTunnel) client.write("HTTP/1.1 200 OK\r\n\r\n");
      else upstream.write(head.replace(target, pathname), "latin1");
      client.pipe(upstream).pipe(client);
    });
  }
}
