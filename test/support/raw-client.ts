import { expect } from "bun:test";
import { exchange, type RawAnswer } from "./raw-connection.ts";
import { type RawRequest, rawRequest } from "./raw-request.ts";
import { startService, type TestService } from "./service.ts";

export const PLANT = '{"id":5,"name":"Ficus"}';

/** Sends exact bytes to its own service, on a new connection for each request, as one account. */
export class RawClient {
  private constructor(
    readonly service: TestService,
    readonly token: string,
    /** The header line that carries the token. */
    readonly authorization = `Authorization: Bearer ${token}`,
  ) {}

  static async start(settings: Record<string, string> = {}): Promise<RawClient> {
    const service = await startService({ settings });
    return new RawClient(service, await service.token());
  }

  async answer(request: RawRequest): Promise<RawAnswer> {
    const [answer] = await exchange(this.service.url, rawRequest(request));
    if (!answer) throw new Error("The connection was closed without an answer");
    return answer;
  }

  /** Sends a create with the token. */
  create(request: RawRequest = {}): Promise<RawAnswer> {
    return this.answer({ body: PLANT, ...request, headers: [this.authorization, ...(request.headers ?? [])] });
  }

  get(target: string): Promise<RawAnswer> {
    return this.answer({ method: "GET", target, headers: [this.authorization] });
  }

  async holds(id: number): Promise<boolean> {
    return (await this.get(`/v1/plants/${id}`)).status === 200;
  }

  /** Expects that the service still serves, as it must after every request, however malformed. */
  async expectServing(): Promise<void> {
    expect((await this.answer({ method: "GET", target: "/healthz" })).status).toBe(200);
    expect(this.service.process.exitCode).toBeNull();
  }
}

/** Expects the Error shape of the interface and the headers that every refusal of the API has. */
export function expectRefusal(answer: RawAnswer, error: number): void {
  expect(answer.status).toBe(Math.floor(error / 100));
  expect(JSON.parse(answer.body)).toEqual({ error, message: expect.stringMatching(/^\S.*\S$/) });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("request-id")).toMatch(/^req_\w+$/);
  expect(answer.headers.get("plantstore-version")).toBe("1.0.0");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
}
