import type { ClientInfo } from "../client-info.ts";
import type { Session } from "../sessions.ts";

/** Recovery and verification by mail. Everything rejects with a Failure; "address-unknown" where no mail is sent. */
export interface MailedLinks {
  askForRecovery(client: ClientInfo, email: string): Promise<void>;
  recover(client: ClientInfo, secret: string, password: string): Promise<void>;
  askForVerification(session: Session): Promise<void>;
  verify(client: ClientInfo, secret: string): Promise<void>;
}
