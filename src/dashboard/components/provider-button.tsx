import { useEffect, useRef } from "react";
import type { ProviderFinished } from "#contract/dashboard/identities.ts";
import { useChange } from "../api/asking.ts";
import { goToProvider, onProviderFinished, openProvider } from "../api/provider.ts";
import { SendingAction } from "./failure-notice.tsx";

interface ProviderButtonProps {
  readonly label: string;
  readonly purpose: ProviderFinished["purpose"];
  /** The page that this window shows afterwards. */
  readonly back: string;
  readonly invitation?: string;
  readonly kind?: "main" | "plain";
  readonly fullWidth?: boolean;
}

export function ProviderButton({ label, purpose, back, invitation, ...props }: ProviderButtonProps) {
  const going = useChange((service) => goToProvider(service, { purpose, back, invitation }));
  return <SendingAction label={label} change={going} {...props} />;
}

interface ProviderWindowProps extends Pick<ProviderButtonProps, "label" | "purpose"> {
  readonly done: (finished: ProviderFinished) => unknown;
}

/** Asks the identity provider in a window of its own, so that this page stays as it is. */
export function ProviderWindowButton({ label, purpose, done }: ProviderWindowProps) {
  const opening = useChange((service) => openProvider(service, purpose));
  const finished = useRef(done);
  finished.current = done;
  useEffect(() => onProviderFinished((answer) => answer.purpose === purpose && finished.current(answer)), [purpose]);
  return <SendingAction kind="main" label={label} change={opening} fullWidth />;
}
