import type { HttpServer } from "./service.ts";
import type { CachedToken } from "./token-cache.ts";

/** What each request carries through the framework. */
export interface Env {
  Variables: { requestId: string; known?: CachedToken };
  Bindings: { requestId: string; server: HttpServer };
}
