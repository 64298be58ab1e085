import type { TestService } from "./service.ts";

/** An import whose lines a test sends when it likes. */
export interface Upload {
  /** Sends that many lines with the next ids, and returns the last id. */
  send(lines: number): number;
  end(): void;
  readonly answer: Promise<Response>;
}

export function startUpload({ url }: Pick<TestService, "url">, token: string, init: BunFetchRequestInit = {}): Upload {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  return {
    send(lines) {
      const text = Array.from({ length: lines }, () => `{"id":${++sent},"name":"Plant"}\n`).join("");
      controller?.enqueue(Buffer.from(text));
      return sent;
    },
    end: () => controller?.close(),
    answer: fetch(`${url}/v1/plants/import`, { ...init, method: "POST", headers, body }),
  };
}
