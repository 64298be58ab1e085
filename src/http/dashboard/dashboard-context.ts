import type { Account, AlsoEnded, RemainingCredentials } from "#core/account.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { Log } from "#core/log.ts";
import type { Session } from "#core/session.ts";
import type { Store } from "#core/store.ts";
import type { Reading } from "../reading/functions.ts";
import type { RequestContext } from "../request-context.ts";
import type { Sessions } from "../sessions.ts";
import type { TokenCache } from "../token-cache.ts";
import type { TokenRules } from "./token-rules.ts";

/**
 * Recovery and verification by mail. Every method rejects with a Failure: "address-unknown" if the service sends no
 * mail.
 */
interface MailedLinks {
  askForRecovery(client: ClientInfo, email: string): Promise<void>;
  /** The account that the link would recover; the link stays good. Rejects with "link-refused". */
  inspect(secret: string): Promise<{ readonly account: Account; readonly left: RemainingCredentials }>;
  /** Resolves with cookies. */
  recover(client: ClientInfo, secret: string, password: string, asked: AlsoEnded): Promise<readonly string[]>;
  askForVerification(session: Session): Promise<void>;
  verify(client: ClientInfo, secret: string): Promise<void>;
}

/** The parts that the dashboard's own routes use. */
export interface DashboardContext {
  readonly store: Store;
  readonly reads: Reading;
  readonly sessions: Sessions;
  readonly tokens: TokenCache;
  readonly log: Log;
  readonly signup: "first" | "open" | "closed";
  /** The rules for creating and changing tokens, the same as on the command line. */
  readonly tokenRules: TokenRules;
  readonly mail: MailedLinks;
  /** True if the service sends mail. */
  readonly sendsMail: boolean;
  /** A new secret for a token. */
  newSecret(): string;
}

/** The values that each request carries through the framework. */
export interface DashboardEnv {
  Bindings: { requestId: string; client: ClientInfo; context: RequestContext };
  Variables: { session: Session };
}
