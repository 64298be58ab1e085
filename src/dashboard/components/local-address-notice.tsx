import { Alert } from "@mantine/core";
import { isLoopbackName } from "#contract/loopback-name.ts";

/** Says of what leads to the service that only this computer reaches it. Renders nothing where others do. */
export function LocalAddressNotice({ address, title }: { readonly address: string; readonly title: string }) {
  if (!isOfThisMachine(address)) return null;
  return (
    <Alert color="yellow" title={title} className="breaks">
      It leads to <span translate="no">{address}</span>, an address of this computer alone. Whoever runs Plantstore sets
      BASE_URL to one that other devices reach.
    </Alert>
  );
}

/** True for addresses that another device takes for its own, or for none. */
function isOfThisMachine(address: string): boolean {
  const { hostname } = new URL(address);
  return isLoopbackName(hostname) || hostname === "0.0.0.0" || hostname === "[::]";
}
