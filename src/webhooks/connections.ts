import { once } from "node:events";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { DeliveryError } from "#core/webhook.ts";
import { RESTING_CONNECTIONS } from "#load/limits.ts";
import { hostOf } from "./address.ts";
import { AnswerReader } from "./http-answer.ts";

const CONNECT_MS_MAX = 5000;
/** After the status the rest of an answer gets this much time, so that a slow receiver does not occupy the slot. */
const REST_MS_MAX = 1000;
const IDLE_MS_MAX = 30_000;

/** Nothing came of a request, or no answer that could be read. */
export class RequestFailed extends Error {
  constructor(
    readonly reason: DeliveryError,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** The connection ended before anything of the answer had come. */
class ConnectionLost extends RequestFailed {}

export interface AttemptTarget {
  readonly url: URL;
  /** The addresses to connect to, the first that does counts; undefined if the proxy looks them up. */
  readonly addresses: readonly string[] | undefined;
}

interface Connected {
  readonly origin: string;
  /** Undefined behind a proxy. */
  readonly address: string | undefined;
  readonly socket: Socket;
}

interface Idle extends Connected {
  readonly end: () => void;
  readonly timer: Timer;
}

/**
 * The connections to receivers over HTTP/1.1. The runtime's `fetch` would neither bound informational answers nor run
 * more than 256 requests of the process at once; `node:https` takes four times the processor time for a request
 * (155 µs, and 40 µs here).
 */
export class Connections {
  readonly #proxy: URL | undefined;
  /** Oldest first. */
  #idle: readonly Idle[] = [];

  constructor(proxy: string | undefined) {
    this.#proxy = proxy === undefined ? undefined : new URL(proxy);
  }

  /**
   * Posts to the destination. `deadline` is in milliseconds of `performance.now()`. Rejects with a `RequestFailed`, or
   * with an error of the network or of TLS.
   */
  async post(to: AttemptTarget, request: { head: string; body: string }, deadline: number): Promise<AnswerReader> {
    const { url } = to;
    const isAbsolute = this.#proxy !== undefined && url.protocol === "http:";
    const target = isAbsolute ? url.href : url.pathname + url.search;
    const more = isAbsolute ? this.#authorization() : "";
    const text = `POST ${target} HTTP/1.1\r\nHost: ${url.host}\r\n${more}${request.head}\r\n${request.body}`;
    const idle = this.#takeIdle(to);
    try {
      if (idle) return await this.#exchange(idle, text, deadline);
    } catch (error) {
      // The receiver may have closed it meanwhile.
      if (!(error instanceof ConnectionLost)) throw error;
    }
    return this.#exchange(await this.#open(to, deadline), text, deadline);
  }

  async #exchange(connected: Connected, text: string, deadline: number): Promise<AnswerReader> {
    const { socket } = connected;
    try {
      const answer = await exchange(socket, text, deadline);
      if (answer.leavesConnection) this.#keepIdle(connected);
      else socket.destroy();
      return answer;
    } catch (error) {
      socket.destroy();
      throw error;
    }
  }

  async #open({ url, addresses }: AttemptTarget, deadline: number): Promise<Connected> {
    const opening: Socket[] = [];
    const add = (socket: Socket) => {
      // The errors of a socket reach the code that waits for it; nothing waits for an idle one.
      socket.on("error", () => undefined);
      opening.push(socket);
      return socket;
    };
    const end = (error?: Error) => {
      for (const socket of opening) socket.destroy(error);
    };
    const msMax = Math.min(CONNECT_MS_MAX, deadline - performance.now());
    const late = setTimeout(() => end(new RequestFailed("connect")), msMax);
    try {
      const proxy = this.#proxy;
      const first = proxy ?? url;
      const hosts = proxy ? [hostOf(proxy)] : (addresses ?? []);
      let { socket, host } = await connectedToOne(add, hosts, portOf(first), msMax);
      const connected = { origin: url.origin, address: proxy ? undefined : host };
      if (first.protocol === "https:") socket = await secured(add, socket, first);
      if (!proxy || url.protocol === "http:") return { ...connected, socket };
      await this.#tunnel(socket, url, deadline);
      return { ...connected, socket: await secured(add, socket, url) };
    } catch (error) {
      end();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Has the proxy connect to the receiver (RFC 9110, 9.3.6). */
  async #tunnel(socket: Socket, url: URL, deadline: number): Promise<void> {
    const authority = `${url.hostname}:${portOf(url)}`;
    const text = `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${this.#authorization()}\r\n`;
    const { status = 0 } = await exchange(socket, text, deadline, true);
    if (status < 200 || status > 299) throw new RequestFailed("connect");
  }

  #authorization(): string {
    const { username = "", password = "" } = this.#proxy ?? {};
    if (username === "") return "";
    const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
    return `Proxy-Authorization: Basic ${credentials.toString("base64")}\r\n`;
  }

  #takeIdle({ url, addresses }: AttemptTarget): Connected | undefined {
    const isTo = ({ origin, address }: Connected) =>
      origin === url.origin && (address === undefined || addresses?.includes(address));
    const idle = this.#idle.findLast(isTo);
    if (idle) this.#forget(idle);
    return idle;
  }

  #keepIdle({ origin, address, socket }: Connected): void {
    const end = () => {
      this.#forget(idle);
      socket.destroy();
    };
    const idle = { origin, address, socket, end, timer: setTimeout(end, IDLE_MS_MAX) };
    // Bytes that come unasked are no answer.
    socket.once("data", end).once("close", end);
    this.#idle = [...this.#idle, idle];
    if (this.#idle.length > RESTING_CONNECTIONS.all) this.#idle[0]?.end();
  }

  #forget(idle: Idle): void {
    clearTimeout(idle.timer);
    idle.socket.off("data", idle.end).off("close", idle.end);
    this.#idle = this.#idle.filter((each) => each !== idle);
  }
}

/** Sends a request over a connection and resolves with its answer as far as it is read. */
function exchange(socket: Socket, text: string, deadline: number, isTunnel = false): Promise<AnswerReader> {
  const answer = new AnswerReader(isTunnel);
  return new Promise((resolve, reject) => {
    let hasBegun = false;
    const leftMs = () => deadline - performance.now();
    const end = (failure?: Error) => {
      clearTimeout(timer);
      socket.off("data", onData).off("error", onLost).off("close", onLost);
      if (answer.status !== undefined) resolve(answer);
      else reject(failure ?? new RequestFailed("connect"));
    };
    const onLost = (cause: unknown) => end(hasBegun ? undefined : new ConnectionLost("connect", cause));
    const onData = (bytes: Buffer) => {
      hasBegun = true;
      const isNew = answer.status === undefined;
      try {
        answer.read(bytes);
      } catch {
        return end();
      }
      if (answer.isOver) return end();
      if (!isNew || answer.status === undefined) return;
      clearTimeout(timer);
      timer = setTimeout(end, Math.min(REST_MS_MAX, leftMs()));
    };
    let timer = setTimeout(() => end(new RequestFailed("timeout")), leftMs());
    socket.on("data", onData).on("error", onLost).on("close", onLost);
    socket.write(text);
  });
}

/** The address of a receiver that is down may refuse or be silent: each has its share of the time, and TLS what is left. */
async function connectedToOne(
  add: (socket: Socket) => Socket,
  hosts: readonly string[],
  port: number,
  msMax: number,
): Promise<{ socket: Socket; host: string }> {
  const eachMs = hosts.length > 1 ? msMax / (hosts.length + 1) : msMax;
  let failure: unknown = new RequestFailed("connect");
  for (const host of hosts) {
    const socket = add(connectTcp(port, host));
    const late = setTimeout(() => socket.destroy(new RequestFailed("connect")), eachMs);
    try {
      await ready(socket, "connect");
      return { socket, host };
    } catch (error) {
      failure = error;
    } finally {
      clearTimeout(late);
    }
  }
  throw failure;
}

async function secured(add: (socket: Socket) => Socket, socket: Socket, url: URL): Promise<Socket> {
  const host = hostOf(url);
  const server = isIP(host) ? { host } : { host, servername: host };
  const secure = add(connectTls({ ...server, socket, ALPNProtocols: ["http/1.1"] }));
  await ready(secure, "secureConnect");
  return secure;
}

async function ready(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  await once(socket, event, { signal: closed.signal });
}

function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === "https:" ? 443 : 80));
}
