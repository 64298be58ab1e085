/** Everything of an answer together: its heads, also informational ones without end, its body and how it is framed. */
const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES_MAX = 1024;

type Part = "head" | "body" | "chunk size" | "chunk" | "chunk end" | "trailers" | "whole";

const LF = 10;
const NO_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of its connection: the status, the headers, and the beginning of
 * the body. Informational answers are passed over.
 */
export class AnswerReader {
  /** By their names in small letters. */
  readonly headers = new Map<string, string>();
  readonly #isTunnel: boolean;
  #part: Part = "head";
  #unread: Buffer = Buffer.alloc(0);
  /** No end of a line is before this place in the unread bytes. */
  #searched = 0;
  #size = 0;
  #lines: string[] = [];
  #status: number | undefined;
  /** What is left of the body or of its chunk. */
  #left = Number.POSITIVE_INFINITY;
  #excerpt = Buffer.alloc(0);
  #staysOpen = false;

  /** Of a tunnel (CONNECT) the answer has no body if it succeeds. */
  constructor(isTunnel = false) {
    this.#isTunnel = isTunnel;
  }

  /** Undefined until the head has come. */
  get status(): number | undefined {
    return this.#status;
  }

  /** True when its end has come, or when no more of it is read. */
  get isOver(): boolean {
    return this.#part === "whole" || this.#size >= ANSWER_BYTES_MAX;
  }

  /** True if another request may be sent over the connection. */
  get leavesConnection(): boolean {
    return this.#part === "whole" && this.#staysOpen && this.#unread.length === 0;
  }

  /** The beginning of the body as text that a database can hold; undefined if there is none. */
  get excerpt(): string | undefined {
    if (this.#excerpt.length === 0) return undefined;
    return new TextDecoder().decode(this.#excerpt).replaceAll("\0", "\ufffd");
  }

  /** Throws if this is no HTTP. */
  read(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (this.#step());
  }

  /** Returns false if the next part has not come. */
  #step(): boolean {
    switch (this.#part) {
      case "whole":
        return false;
      case "body":
      case "chunk":
        return this.#readBody();
      default: {
        const line = this.#line();
        if (line !== undefined) this.#readLine(line);
        return line !== undefined;
      }
    }
  }

  #readBody(): boolean {
    if (this.#unread.length === 0) return false;
    const part = this.#unread.subarray(0, this.#left);
    this.#unread = this.#unread.subarray(part.length);
    const room = EXCERPT_BYTES_MAX - this.#excerpt.length;
    if (room > 0) this.#excerpt = Buffer.concat([this.#excerpt, part.subarray(0, room)]);
    this.#left -= part.length;
    if (this.#left === 0) this.#part = this.#part === "chunk" ? "chunk end" : "whole";
    return true;
  }

  #line(): string | undefined {
    const end = this.#unread.indexOf(LF, this.#searched);
    this.#searched = end < 0 ? this.#unread.length : 0;
    if (end < 0) return undefined;
    const line = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + 1);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }

  #readLine(line: string): void {
    if (this.#part === "chunk end") this.#part = "chunk size";
    else if (this.#part === "chunk size") this.#beginChunk(line);
    else if (line !== "") this.#lines.push(line);
    else if (this.#part === "trailers") this.#part = "whole";
    else this.#readHead();
  }

  #beginChunk(line: string): void {
    const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(line) ?? [];
    if (digits === undefined) throw new Error("The answer has a chunk without a size");
    this.#left = Number.parseInt(digits, 16);
    this.#part = this.#left === 0 ? "trailers" : "chunk";
  }

  #readHead(): void {
    const [first = "", ...fields] = this.#lines;
    this.#lines = [];
    const [, minor, digits] = /^HTTP\/1\.(\d) (\d{3})(?: |$)/.exec(first) ?? [];
    if (digits === undefined) throw new Error("The answer is no HTTP/1.1");
    const status = Number(digits);
    if (status < 200 && status !== 101) return;
    this.#status = status;
    for (const field of fields) {
      const colon = field.indexOf(":");
      const name = field.slice(0, Math.max(0, colon)).toLowerCase();
      const value = field.slice(colon + 1).trim();
      const before = this.headers.get(name);
      this.headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    this.#staysOpen = minor === "1" && !/\bclose\b/i.test(this.headers.get("connection") ?? "");
    this.#frame(status);
  }

  /** How the end of the body is found (RFC 9112, 6.3). */
  #frame(status: number): void {
    const length = this.headers.get("content-length");
    this.#part = "body";
    if (NO_BODY.has(status) || length === "0" || (this.#isTunnel && status < 300)) this.#part = "whole";
    else if (/\bchunked$/i.test(this.headers.get("transfer-encoding") ?? "")) this.#part = "chunk size";
    else if (length !== undefined && /^\d{1,15}$/.test(length)) this.#left = Number(length);
  }
}
