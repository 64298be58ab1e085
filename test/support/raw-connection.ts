import { connect, type Socket } from "node:net";

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; a repeated header's values are joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const ANSWER_MS_MAX = 60_000;

/** A TCP connection that sends exact bytes, for requests that no HTTP client would send. */
export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    for (const event of ["end", "close", "error"]) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawConnection(socket);
  }

  /** Resolves when the bytes were sent; with false if the other side closed first. */
  send(bytes: string | Uint8Array): Promise<boolean> {
    if (this.#ended) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onClose = () => resolve(false);
      this.#socket.once("close", onClose);
      this.#socket.write(bytes, () => {
        this.#socket.off("close", onClose);
        resolve(!this.#ended);
      });
    });
  }

  /** The next complete answer, or undefined if the other side closed without one. */
  async answer(msMax = ANSWER_MS_MAX): Promise<RawAnswer | undefined> {
    const deadline = performance.now() + msMax;
    for (;;) {
      const parsed = parseAnswer(this.#received, this.#ended);
      if (parsed) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed.answer;
      }
      if (this.#ended) return undefined;
      await this.#change(deadline);
    }
  }

  /** Resolves when the other side has closed. */
  async closed(msMax = ANSWER_MS_MAX): Promise<void> {
    const deadline = performance.now() + msMax;
    while (!this.#ended) await this.#change(deadline);
  }

  /** Received bytes that no answer has used so far. */
  get unread(): string {
    return this.#received.toString("latin1");
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Stops reading, so that flow control holds the other side back. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Closes with a reset (RST), like a client that crashed. */
  abort(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #change(deadline: number): Promise<void> {
    const left = deadline - performance.now();
    if (left <= 0) throw new Error(`No answer in time; received so far: ${JSON.stringify(this.unread)}`);
    let timer: Timer | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, left);
    });
    clearTimeout(timer);
  }
}

/** Sends bytes on a new connection and returns the answers until the other side closes or `count` have come. */
export async function exchange(url: string, bytes: string | Uint8Array, count = 1): Promise<RawAnswer[]> {
  const connection = await RawConnection.open(url);
  try {
    await connection.send(bytes);
    const answers: RawAnswer[] = [];
    while (answers.length < count) {
      const answer = await connection.answer();
      if (!answer) break;
      answers.push(answer);
    }
    return answers;
  } finally {
    connection.close();
  }
}

function parseAnswer(bytes: Buffer, ended: boolean): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = parseHeaders(lines);
  const body = parseBody(bytes.subarray(headEnd + 4), status, headers, ended);
  if (!body) return undefined;
  const answer = { status, headers, body: body.bytes.toString("utf8") };
  return { answer, length: headEnd + 4 + body.length };
}

function parseHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

interface Body {
  readonly bytes: Buffer;
  /** The number of bytes on the wire. */
  readonly length: number;
}

function parseBody(
  rest: Buffer,
  status: number,
  headers: ReadonlyMap<string, string>,
  ended: boolean,
): Body | undefined {
  if (status < 200 || status === 204 || status === 304) return { bytes: Buffer.alloc(0), length: 0 };
  if (headers.get("transfer-encoding")?.toLowerCase() === "chunked") return parseChunks(rest);
  const length = headers.get("content-length");
  if (length === undefined) return ended ? { bytes: rest, length: rest.length } : undefined;
  return rest.length < Number(length) ? undefined : { bytes: rest.subarray(0, Number(length)), length: Number(length) };
}

function parseChunks(rest: Buffer): Body | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size;
    if (rest.length < end + 2) return undefined;
    if (size === 0) return { bytes: Buffer.concat(chunks), length: end + 2 };
    chunks.push(rest.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}
