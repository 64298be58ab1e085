/** What each request carries through the framework. */
export interface Env {
  Variables: { requestId: string };
  Bindings: { requestId: string };
}
