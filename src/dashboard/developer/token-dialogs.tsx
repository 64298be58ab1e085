import type { TokenRecord } from "#contract/dashboard.ts";
import type { TokenAction } from "./open-token.ts";
import { RenameTokenDialog } from "./rename-token-dialog.tsx";
import { RevokeTokenDialog } from "./revoke-token-dialog.tsx";
import { RollTokenDialog } from "./roll-token-dialog.tsx";
import { TokenDetails } from "./token-details.tsx";

interface TokenDialogsProps {
  readonly token: TokenRecord | undefined;
  readonly action: TokenAction;
  readonly onAction: (id: string, action: TokenAction) => void;
  readonly onClose: () => void;
}

/** What the address asks to do with a token; what cannot be done with an ended one shows its details. */
export function TokenDialogs({ token, action, onAction, onClose }: TokenDialogsProps) {
  if (!token) return null;
  if (action === "rename") return <RenameTokenDialog key={token.id} token={token} onClose={onClose} />;
  if (action === "roll") return <RollTokenDialog key={token.id} token={token} onClose={onClose} />;
  if (action === "revoke" && token.state === "active") return <RevokeTokenDialog token={token} onClose={onClose} />;
  return <TokenDetails token={token} onAction={(chosen) => onAction(token.id, chosen)} onClose={onClose} />;
}
