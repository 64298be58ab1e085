import type { Store } from "#core/store.ts";
import type { KnownTokens } from "../known-tokens.ts";
import type { Log } from "../service.ts";
import type { Session, Sessions } from "../sessions.ts";
import type { Visitor, VisitorOf } from "../visitor.ts";

/** What the dashboard's own routes work with. */
export interface Desk {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly visitorOf: VisitorOf;
  readonly tokens: KnownTokens;
  readonly log: Log;
  readonly signup: "first" | "open" | "closed";
  newSecret(): string;
}

/** What each request to them carries through the framework. */
export interface DeskEnv {
  Bindings: { requestId: string; visitor: Visitor };
  Variables: { session: Session };
}
