/** All that is read of an answer: its heads, also informational ones without end, its body, and how that is framed. */
const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_BYTES_MAX = 1024;
const LF = 10;
const NO_BODY: ReadonlySet<number> = new Set([204, 304]);

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of its connection: the status, the headers, and the beginning of
 * the body. Informational answers are passed over.
 */
export class AnswerReader {
  /** Undefined until the head has come. */
  status: number | undefined;
  /** By their names in small letters. */
  readonly headers = new Map<string, string>();
  /** True when its end has come, or when no more of it is read. */
  isOver = false;
  /** True if another request may be sent over the connection. */
  leavesConnection = false;
  readonly #parsing: Generator<void, void>;
  #unread: Buffer = Buffer.alloc(0);
  #size = 0;
  #excerpt = Buffer.alloc(0);

  /** Of a tunnel (CONNECT) the answer has no body if it succeeds. */
  constructor(isTunnel = false) {
    this.#parsing = this.#parse(isTunnel);
  }

  /** The beginning of the body, of whole characters, as text that a database can hold; undefined if there is none. */
  get excerpt(): string | undefined {
    if (this.#excerpt.length === 0) return undefined;
    return new TextDecoder().decode(this.#excerpt, { stream: true }).replaceAll("\0", "\ufffd");
  }

  /** Throws if this is no HTTP. */
  read(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    this.isOver = this.#parsing.next().done || this.#size >= ANSWER_BYTES_MAX;
  }

  /** Yields where it needs more bytes. */
  *#parse(isTunnel: boolean): Generator<void, void> {
    let head = yield* this.#head();
    while (head.status < 200 && head.status !== 101) head = yield* this.#head();
    for (const field of head.fields) this.#keepHeader(field);
    const { status, isOld } = head;
    this.status = status;
    if (!NO_BODY.has(status) && !(isTunnel && status < 300)) yield* this.#framedBody();
    const closes = isOld || /\bclose\b/i.test(this.headers.get("connection") ?? "");
    this.leavesConnection = !closes && this.#unread.length === 0;
  }

  *#head() {
    const [first = "", ...fields] = yield* this.#lines();
    const [, minor, digits] = /^HTTP\/1\.(\d) (\d{3})(?: |$)/.exec(first) ?? [];
    if (digits === undefined) throw new Error("The answer is no HTTP/1.1");
    return { status: Number(digits), isOld: minor === "0", fields };
  }

  #keepHeader(field: string): void {
    const colon = Math.max(0, field.indexOf(":"));
    const name = field.slice(0, colon).toLowerCase();
    const value = field.slice(colon + 1).trim();
    const before = this.headers.get(name);
    this.headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }

  /** A body whose end is found as RFC 9112, 6.3 says. */
  *#framedBody(): Generator<void, void> {
    const length = this.headers.get("content-length") ?? "";
    if (/\bchunked$/i.test(this.headers.get("transfer-encoding") ?? "")) yield* this.#chunks();
    else yield* this.#body(/^\d{1,15}$/.test(length) ? Number(length) : Number.POSITIVE_INFINITY);
  }

  *#chunks(): Generator<void, void> {
    for (;;) {
      const [, size] = /^([0-9a-f]{1,8})[ \t]*(?:;|$)/i.exec(yield* this.#line()) ?? [];
      if (size === undefined) throw new Error("The answer has a chunk without a size");
      if (Number.parseInt(size, 16) === 0) break;
      yield* this.#body(Number.parseInt(size, 16));
      yield* this.#line();
    }
    yield* this.#lines();
  }

  *#body(length: number): Generator<void, void> {
    for (let left = length; left > 0; ) {
      while (this.#unread.length === 0) yield;
      const part = this.#unread.subarray(0, left);
      this.#unread = this.#unread.subarray(part.length);
      const room = EXCERPT_BYTES_MAX - this.#excerpt.length;
      if (room > 0) this.#excerpt = Buffer.concat([this.#excerpt, part.subarray(0, room)]);
      left -= part.length;
    }
  }

  /** The lines up to an empty one. */
  *#lines(): Generator<void, string[]> {
    const lines: string[] = [];
    for (let line = yield* this.#line(); line !== ""; line = yield* this.#line()) lines.push(line);
    return lines;
  }

  *#line(): Generator<void, string> {
    let end = this.#unread.indexOf(LF);
    while (end < 0) {
      const searched = this.#unread.length;
      yield;
      end = this.#unread.indexOf(LF, searched);
    }
    const line = this.#unread.toString("latin1", 0, end);
    this.#unread = this.#unread.subarray(end + 1);
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  }
}
