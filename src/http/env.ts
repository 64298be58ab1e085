import type { KnownToken } from "./known-tokens.ts";
import type { HttpServer } from "./service.ts";

/** What each request carries through the framework. */
export interface Env {
  Variables: { requestId: string; known?: KnownToken };
  Bindings: { requestId: string; server: HttpServer };
}
