import * as http from "node:http";
import * as https from "node:https";
import { isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { DeliveryError } from "#core/webhook.ts";
import { ALL, OUTGOING } from "#load/limit-groups.ts";
import { hostOf } from "./address.ts";

export const RESTING_CONNECTIONS = OUTGOING.row("resting connections to receivers", ALL, { all: 512 }, "one is closed");

const CONNECT_MS_MAX = 5000;
/** How long the rest of an answer may take after its status, so that a slow receiver does not hold the slot. */
const REST_MS_MAX = 1000;
/** The bytes that are read of an answer: its heads, also informational ones without end, and its body. */
const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES_MAX = 1024;
const KEPT = { keepAlive: true, timeout: 30_000, maxFreeSockets: RESTING_CONNECTIONS.all };

/** A request that failed, or whose answer could not be read. */
export class RequestFailed extends Error {
  constructor(
    readonly reason: DeliveryError,
    cause?: unknown,
  ) {
    super(reason, { cause });
  }
}

/** The request reached nobody, so that the next address may be tried. */
class NotConnected extends RequestFailed {}
/** A connection that was used before ended without an answer: the receiver may have closed it meanwhile. */
class ConnectionLost extends RequestFailed {}

export interface AttemptTarget {
  readonly url: URL;
  /** The addresses to connect to, the first that does counts; undefined if the proxy looks them up. */
  readonly addresses: readonly string[] | undefined;
}

export interface ReceiverAnswer {
  readonly status: number;
  /** Values by lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  /** The beginning of the body, of whole characters, as text that a database can hold; undefined if there is none. */
  readonly excerpt: string | undefined;
}

/** The deadlines of a request's phases, in milliseconds of `performance.now()`. */
interface Times {
  readonly connectedAt: number;
  readonly securedAt: number;
  readonly deadline: number;
}

/** The connections to receivers over HTTP/1.1, of which the runtime keeps the idle ones. */
export class Connections {
  readonly #proxy: URL | undefined;
  readonly #plain: http.Agent;
  readonly #secure: https.Agent;

  constructor(proxy: string | undefined) {
    this.#proxy = proxy === undefined ? undefined : new URL(proxy);
    this.#plain = this.#proxy?.protocol === "https:" ? new https.Agent(KEPT) : new http.Agent(KEPT);
    this.#secure = this.#proxy ? new TunnelAgent(this.#proxy) : new https.Agent(KEPT);
    const resting = () =>
      [this.#plain, this.#secure]
        .flatMap(({ freeSockets }) => Object.values(freeSockets).flatMap((sockets = []) => sockets))
        .filter(({ destroyed }) => !destroyed);
    for (const agent of [this.#plain, this.#secure])
      agent.on("free", () => {
        if (resting().length > RESTING_CONNECTIONS.all) resting()[0]?.destroy();
      });
  }

  /** Posts to the destination. Rejects with a `RequestFailed`, or with an error of the network or of TLS. */
  async post(
    { url, addresses = [hostOf(this.#proxy ?? url)] }: AttemptTarget,
    { headers, body }: { headers: Readonly<Record<string, string | number>>; body: string },
    deadline: number,
  ): Promise<ReceiverAnswer> {
    const msMax = Math.min(CONNECT_MS_MAX, deadline - performance.now());
    const securedAt = performance.now() + msMax;
    // The address of a receiver that is down may refuse or be silent: each has its share of the time, TLS what is left.
    const connectMs = addresses.length > 1 ? msMax / (addresses.length + 1) : msMax;
    const all = addresses.map((host) => this.#optionsOf(url, host, headers));
    all.sort((a, b) => this.#isKept(b) - this.#isKept(a));
    let failure: unknown = new RequestFailed("connect");
    for (let options = all.shift(); options; ) {
      try {
        return await exchange(options, body, { connectedAt: performance.now() + connectMs, securedAt, deadline });
      } catch (error) {
        failure = error;
      }
      if (failure instanceof NotConnected) options = all.shift();
      else if (!(failure instanceof ConnectionLost)) break;
    }
    throw failure;
  }

  #isKept(options: https.RequestOptions): number {
    const agent = options.agent as http.Agent;
    return Number((agent.freeSockets[agent.getName(options)]?.length ?? 0) > 0);
  }

  #optionsOf(url: URL, address: string, headers: Readonly<Record<string, string | number>>): https.RequestOptions {
    const proxy = this.#proxy;
    const all = { Host: url.host, ...headers };
    // Programs written by hand end their lines as they like.
    const common = { method: "POST", path: url.pathname + url.search, headers: all, insecureHTTPParser: true };
    const agent = url.protocol === "https:" ? this.#secure : this.#plain;
    if (!proxy) return { ...common, agent, ...endpointOf(url), host: address };
    if (url.protocol === "https:") return { ...common, agent, ...endpointOf(url) };
    return { ...common, agent, ...endpointOf(proxy), path: url.href, headers: { ...all, ...authorization(proxy) } };
  }
}

/** Has the proxy connect to each receiver (RFC 9110, 9.3.6). */
class TunnelAgent extends https.Agent {
  constructor(private readonly proxy: URL) {
    super(KEPT);
  }

  override createConnection(
    { host, port, servername }: https.RequestOptions,
    done: (error: Error | null, socket: Duplex) => void = () => undefined,
  ): undefined {
    const authority = `${isIP(host ?? "") === 6 ? `[${host}]` : host}:${port}`;
    const { request } = this.proxy.protocol === "https:" ? https : http;
    const asked = request({
      ...endpointOf(this.proxy),
      method: "CONNECT",
      path: authority,
      headers: { Host: authority, ...authorization(this.proxy) },
      agent: false,
      timeout: CONNECT_MS_MAX,
    });
    const refuse = (cause?: unknown) => (done as (error: Error) => void)(new RequestFailed("connect", cause));
    asked.once("timeout", () => asked.destroy(new Error("The proxy is silent"))).once("error", refuse);
    asked.once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode < 200 || statusCode > 299) {
        socket.destroy();
        return refuse();
      }
      done(
        null,
        connectTls({
          socket: socket as Socket,
          host: host ?? "",
          servername: servername ?? "",
          ALPNProtocols: ["http/1.1"],
        }),
      );
    });
    asked.end();
  }
}

/** Sends a request and resolves with the answer as far as it is read. */
function exchange(options: https.RequestOptions, body: string, times: Times): Promise<ReceiverAnswer> {
  const isSecure = options.protocol === "https:";
  const request = (isSecure ? https : http).request(options);
  let answer: http.IncomingMessage | undefined;
  let isConnected = false;
  let read = 0;
  let excerpt = Buffer.alloc(0);
  let timer: Timer | undefined;
  return new Promise((resolve, reject) => {
    const end = (failure: Error = new RequestFailed("connect")) => {
      clearTimeout(timer);
      if (answer) resolve(answered(answer, excerpt));
      else reject(failure);
      if (!answer?.complete) request.destroy();
    };
    const endAt = (at: number, failure?: RequestFailed) => {
      clearTimeout(timer);
      timer = setTimeout(end, at - performance.now(), failure);
    };
    const awaitAnswer = () => endAt(times.deadline, new RequestFailed("timeout"));
    const count = (bytes: number) => {
      read += bytes;
      if (read > ANSWER_BYTES_MAX) end();
    };
    endAt(times.connectedAt, new NotConnected("connect"));
    request.once("socket", (socket: Socket) => {
      isConnected = request.reusedSocket;
      if (isConnected) return awaitAnswer();
      socket.once("connect", () => {
        isConnected = true;
        if (isSecure) endAt(times.securedAt, new RequestFailed("connect"));
        else awaitAnswer();
      });
      socket.once("secureConnect", awaitAnswer);
    });
    request.on("error", (error: Error & { code?: string }) => {
      const isLost = request.reusedSocket && read === 0 && !error.code?.startsWith("HPE_");
      if (isLost) end(new ConnectionLost("connect", error));
      else end(isConnected || error instanceof RequestFailed ? error : new NotConnected("connect", error));
    });
    // An informational answer has at least so many bytes beside its fields.
    request.on("information", ({ rawHeaders }) => count(16 + rawHeaders.join(": \r\n").length));
    request.once("upgrade", (response) => {
      answer = response;
      end();
    });
    request.once("response", (response) => {
      answer = response;
      endAt(Math.min(times.deadline, performance.now() + REST_MS_MAX));
      response.on("data", (bytes: Buffer) => {
        const room = EXCERPT_BYTES_MAX - excerpt.length;
        if (room > 0) excerpt = Buffer.concat([excerpt, bytes.subarray(0, room)]);
        count(bytes.length);
      });
      response.on("error", end).once("end", end);
    });
    request.end(body);
  });
}

function answered({ statusCode = 0, headers }: http.IncomingMessage, excerpt: Buffer): ReceiverAnswer {
  const text = new TextDecoder().decode(excerpt, { stream: true }).replaceAll("\0", "\ufffd");
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return { status: statusCode, headers: new Map(pairs), excerpt: text === "" ? undefined : text };
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { "Proxy-Authorization": `Basic ${credentials.toString("base64")}` };
}

/** The server is named, since the runtime would otherwise expect a certificate of the name in `Host`. */
function endpointOf(url: URL) {
  const { protocol, port } = url;
  const host = hostOf(url);
  return {
    protocol,
    host,
    port: Number(port || (protocol === "https:" ? 443 : 80)),
    servername: isIP(host) ? "" : host,
  };
}
