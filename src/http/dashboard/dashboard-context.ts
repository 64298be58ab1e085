import type { InterfaceVersion } from "#contract/version.ts";
import type { Log } from "#core/log.ts";
import type { Store } from "#core/store.ts";
import type { ClientInfo } from "../client-info.ts";
import type { RequestContext } from "../request-context.ts";
import type { Session, Sessions } from "../sessions.ts";
import type { TokenCache } from "../token-cache.ts";
import type { MailedLinks } from "./mail-links.ts";
import type { TokenRules } from "./token-rules.ts";

/** The parts that the dashboard's own routes work with. */
export interface DashboardContext {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly tokens: TokenCache;
  readonly log: Log;
  readonly signup: "first" | "open" | "closed";
  /** The rules under which people make and change tokens, the same as at the command line. */
  readonly tokenRules: TokenRules;
  /** The successes of an account that the request log keeps in a second; 0 if it is off. */
  readonly loggedSuccessesMax: number;
  /** The versions of the interface that are served. */
  readonly versions: readonly InterfaceVersion[];
  readonly mail: MailedLinks;
  /** True if the service sends mail. */
  readonly sendsMail: boolean;
  /** A new secret of a token. */
  newSecret(): string;
}

/** The values that each request carries through the framework. */
export interface DashboardEnv {
  Bindings: { requestId: string; client: ClientInfo; context: RequestContext };
  Variables: { session: Session };
}
