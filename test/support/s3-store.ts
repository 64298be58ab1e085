import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const S3_KEYS = { accessKeyId: "AKPLANTSTORETEST", secretAccessKey: "a secret of the tests" } as const;

/**
 * `cut` ends the connection without an answer; `hold` never answers. Of the content of an object, `stall` sends the first
 * byte, and `trickle` each after 100 ms.
 */
export type Treatment = "serve" | "cut" | "hold" | "stall" | "trickle";

export interface S3Request {
  readonly method: string;
  /** The key of the object, without the bucket. */
  readonly key: string;
  readonly query: URLSearchParams;
}

/**
 * An S3 store in memory with the parts of the protocol that backups use: objects, multipart uploads, lists, and the
 * check of each request's signature (AWS Signature Version 4). It can also treat requests badly.
 */
export class S3Store {
  readonly objects = new Map<string, Buffer>();
  readonly requests: S3Request[] = [];
  treat: (request: S3Request) => Treatment = () => "serve";
  readonly #uploads = new Map<string, Map<number, Buffer>>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  static async start(): Promise<S3Store> {
    const store = new S3Store();
    await new Promise<void>((resolve) => store.#server.listen(0, "127.0.0.1", resolve));
    return store;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The settings with which the service reaches the store. */
  get settings(): Record<string, string> {
    return {
      S3_ENDPOINT: this.endpoint,
      S3_REGION: "us-east-1",
      S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? "/", this.endpoint);
    // The bucket stands before the host, or else first in the path.
    const isInHost = /^[a-z]+\.localhost:/.test(request.headers.host ?? "");
    const path = url.pathname.split("/").slice(isInHost ? 1 : 2);
    const asked: S3Request = {
      method: request.method ?? "",
      key: decodeURIComponent(path.join("/")),
      query: url.searchParams,
    };
    this.requests.push(asked);
    const treatment = this.treat(asked);
    if (treatment === "hold") return;
    if (treatment === "cut") return request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (!isSigned(request, url)) return refuse(response, 403, "SignatureDoesNotMatch");
    if (request.method === "GET" && (treatment === "stall" || treatment === "trickle")) {
      return sendSlowly(this.objects.get(asked.key) ?? Buffer.alloc(0), response, treatment);
    }
    return this.#serve(asked, Buffer.concat(chunks), response);
  }

  #serve({ method, key, query }: S3Request, body: Buffer, response: ServerResponse): ServerResponse {
    const uploadId = query.get("uploadId");
    if (key === "" && method === "GET") return xml(response, this.#list(query));
    if (method === "POST" && query.has("uploads")) return xml(response, this.#startUpload());
    if (uploadId !== null)
      return this.#serveUpload(method, key, uploadId, Number(query.get("partNumber")), body, response);
    if (method === "PUT") {
      this.objects.set(key, body);
      return response.writeHead(200, { ETag: tagOf(body) }).end();
    }
    if (method === "DELETE") {
      this.objects.delete(key);
      return response.writeHead(204).end();
    }
    const found = this.objects.get(key);
    if (!found) return refuse(response, 404, "NoSuchKey");
    const headers = { "Content-Length": found.length, ETag: tagOf(found), "Last-Modified": new Date().toUTCString() };
    return response.writeHead(200, headers).end(method === "HEAD" ? undefined : found);
  }

  #serveUpload(
    method: string,
    key: string,
    id: string,
    part: number,
    body: Buffer,
    response: ServerResponse,
  ): ServerResponse {
    const parts = this.#uploads.get(id);
    if (!parts) return refuse(response, 404, "NoSuchUpload");
    if (method === "PUT") {
      parts.set(part, body);
      return response.writeHead(200, { ETag: tagOf(body) }).end();
    }
    this.#uploads.delete(id);
    if (method === "DELETE") return response.writeHead(204).end();
    const numbers = [...parts.keys()].sort((a, b) => a - b);
    this.objects.set(key, Buffer.concat(numbers.map((number) => parts.get(number) ?? Buffer.alloc(0))));
    return xml(
      response,
      "<CompleteMultipartUploadResult><ETag>&quot;whole&quot;</ETag></CompleteMultipartUploadResult>",
    );
  }

  #startUpload(): string {
    const id = crypto.randomUUID();
    this.#uploads.set(id, new Map());
    return `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
  }

  /** Two at a time, so that every list has a second page. */
  #list(query: URLSearchParams): string {
    const [prefix, after] = [query.get("prefix") ?? "", query.get("start-after") ?? ""];
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, 2);
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`,
    );
    return `<ListBucketResult><IsTruncated>${keys.length > page.length}</IsTruncated>${contents.join("")}</ListBucketResult>`;
  }
}

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html */
function isSigned(request: IncomingMessage, url: URL): boolean {
  const [, scope = "", names = "", signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(\S+), ?SignedHeaders=(\S+), ?Signature=(\w+)$/.exec(
      request.headers.authorization ?? "",
    ) ?? [];
  const query = [...url.searchParams].map((pair) => pair.map(encoded).join("=")).sort();
  const headers = names.split(";").map((name) => `${name}:${request.headers[name]}\n`);
  const canonical = [
    request.method,
    url.pathname,
    query.join("&"),
    headers.join(""),
    names,
    request.headers["x-amz-content-sha256"],
  ].join("\n");
  const time = request.headers["x-amz-date"];
  const toSign = ["AWS4-HMAC-SHA256", time, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  let key: string | Buffer = `AWS4${S3_KEYS.secretAccessKey}`;
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(toSign).digest("hex") === signature;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function tagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

async function sendSlowly(content: Buffer, response: ServerResponse, treatment: Treatment): Promise<void> {
  response.writeHead(200, { "Content-Length": content.length });
  for (const byte of content) {
    response.write(Uint8Array.of(byte));
    if (treatment === "stall") return;
    await Bun.sleep(100);
  }
  response.end();
}

function xml(response: ServerResponse, body: string): ServerResponse {
  return response.writeHead(200, { "Content-Type": "application/xml" }).end(`<?xml version="1.0"?>${body}`);
}

function refuse(response: ServerResponse, status: number, code: string): ServerResponse {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  return response.writeHead(status, { "Content-Type": "application/xml" }).end(body);
}
