/** A call that takes longer, or brings more, has failed. */
const CALL_MS_MAX = 15_000;
const ANSWER_BYTES_MAX = 256 * 1024;
const CLOCK_MS_MAX = 3_600_000;

export interface Answer {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Calls of an authority. Its errors are sentences that name the authority's host. */
export class AuthorityClient {
  readonly host: string;

  constructor(
    private readonly address: string,
    private readonly signal: AbortSignal,
  ) {
    this.host = new URL(address).host;
  }

  /** The authority's addresses, by their names (RFC 8555, 7.1.1). */
  async directory(): Promise<Readonly<Record<string, string>>> {
    const found = await this.call(this.address);
    if (!found.ok) throw new Error(`${this.host} has no directory of an authority at ACME_DIRECTORY (${found.status})`);
    requireClock(found.headers, this.host);
    return this.parsed(found);
  }

  async call(url: string | undefined, init: RequestInit = {}): Promise<Answer> {
    if (url === undefined || !URL.canParse(url)) throw new Error(`${this.host} names no address for the next step`);
    const late = AbortSignal.timeout(CALL_MS_MAX);
    try {
      const response = await fetch(url, { ...init, signal: AbortSignal.any([this.signal, late]) });
      const { ok, status, headers } = response;
      return { ok, status, headers, text: await boundedText(response) };
    } catch (error) {
      this.signal.throwIfAborted();
      if (late.aborted) throw new Error(`${this.host} did not answer within ${CALL_MS_MAX / 1000} s`, { cause: error });
      throw new Error(`${this.host} cannot be used: ${reasonOf(error)}`, { cause: error });
    }
  }

  parsed<Value>({ text }: Answer): Value {
    try {
      return JSON.parse(text) ?? {};
    } catch (cause) {
      throw new Error(`${this.host} answered with something else than JSON`, { cause });
    }
  }
}

/** Refuses a wrong local clock, by which a new certificate would seem expired or not yet valid. */
function requireClock(headers: Headers, host: string): void {
  const theirs = Date.parse(headers.get("date") ?? "");
  if (!(Math.abs(theirs - Date.now()) > CLOCK_MS_MAX)) return;
  throw new Error(
    `the clock of this machine says ${now()}, and that of ${host} ${new Date(theirs).toISOString()}: set it right`,
  );
}

function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (!/NOT_YET_VALID|HAS_EXPIRED/.test(code)) return message.split(". ", 1)[0] ?? message;
  return `its certificate is not valid now (${code}), or the clock of this machine, which says ${now()}, is wrong`;
}

/** A text of the authority's, which may hold anything, on one line. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function now(): string {
  return new Date().toISOString();
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`its answer is larger than ${ANSWER_BYTES_MAX / 1024} KiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
