import type { HttpServer } from "./service.ts";

/** What each request carries through the framework. */
export interface Env {
  Variables: { requestId: string };
  Bindings: { requestId: string; server: HttpServer };
}
