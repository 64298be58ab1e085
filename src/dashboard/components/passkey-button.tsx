import { useChange } from "../api/asking.ts";
import { passkeysUsable } from "../api/passkey.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { SendingAction } from "./failure-notice.tsx";

interface PasskeyButtonProps {
  readonly label: string;
  readonly use: (service: ServiceClient) => Promise<unknown>;
}

/** A button that asks for a passkey, where the browser and the address of the page allow one. */
export function PasskeyButton({ label, use }: PasskeyButtonProps) {
  const asking = useChange(use);
  if (!passkeysUsable()) return null;
  return <SendingAction label={label} icon="key" change={asking} fullWidth />;
}
