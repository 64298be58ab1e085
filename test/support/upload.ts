import type { TestService } from "./service.ts";

/** A bulk request whose lines a test sends when it likes. */
export interface Upload {
  /** Sends that many lines with the next ids, and returns the last id. */
  send(lines: number): number;
  end(): void;
  readonly answer: Promise<Response>;
}

/** An import of creates, or another bulk request with lines of its own. */
interface UploadOptions extends BunFetchRequestInit {
  readonly path?: string;
  readonly lineOf?: (id: number) => string;
}

/** By a token, or by a page with the headers of its browser. */
export function startUpload(
  { url }: Pick<TestService, "url">,
  by: string | Record<string, string>,
  { path = "/v1/plants/import", lineOf = (id) => `{"id":${id},"name":"Plant"}`, ...init }: UploadOptions = {},
): Upload {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const isPage = typeof by === "object";
  const headers = { ...(isPage ? by : { Authorization: `Bearer ${by}` }), "Content-Type": "application/x-ndjson" };
  return {
    send(lines) {
      const text = Array.from({ length: lines }, () => `${lineOf(++sent)}\n`).join("");
      controller?.enqueue(Buffer.from(text));
      return sent;
    },
    end: () => controller?.close(),
    answer: fetch(`${url}${isPage ? "/dashboard/api" : ""}${path}`, {
      ...init,
      method: "POST",
      headers,
      body,
    }),
  };
}
