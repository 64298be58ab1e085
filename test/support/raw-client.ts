import { expect } from "bun:test";
import { exchange, type RawAnswer } from "./raw-connection.ts";
import { type RawRequest, rawRequest } from "./raw-request.ts";
import { startService, type TestService } from "./service.ts";

export const PLANT = '{"id":5,"name":"Ficus"}';

/** Sends requests byte for byte to a service of its own, each on a connection of its own, as one account. */
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

  /** With the token. */
  create(request: RawRequest = {}): Promise<RawAnswer> {
    return this.answer({ body: PLANT, ...request, headers: [this.authorization, ...(request.headers ?? [])] });
  }

  get(target: string): Promise<RawAnswer> {
    return this.answer({ method: "GET", target, headers: [this.authorization] });
  }

  async holds(id: number): Promise<boolean> {
    return (await this.get(`/v1/plants/${id}`)).status === 200;
  }

  /** What must be true after every request, however wrong. */
  async expectServing(): Promise<void> {
    expect((await this.answer({ method: "GET", target: "/healthz" })).status).toBe(200);
    expect(this.service.process.exitCode).toBeNull();
  }
}

/** The Error shape of the interface, with what every refusal of the API carries. */
export function expectRefusal(answer: RawAnswer, error: number): void {
  expect(answer.status).toBe(Math.floor(error / 100));
  expect(JSON.parse(answer.body)).toEqual({ error, message: expect.stringMatching(/^\S.*\S$/) });
  expect(answer.headers.get("content-type")).toBe("application/json");
  expect(answer.headers.get("request-id")).toMatch(/^req_\w+$/);
  expect(answer.headers.get("plantstore-version")).toBe("1.0.0");
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
}
