import { Anchor, Text } from "@mantine/core";
import { useChange } from "../api/asking.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { useAddress } from "../browser/address.ts";
import { SendingAction } from "../components/failure-notice.tsx";
import { sessionQuery } from "../session/session.ts";
import { Entrance } from "./entrance.tsx";

/** True for a reader who is signed in and has a verified address, whose link may be used up. */
function isVerified(service: ServiceClient): Promise<boolean> {
  return sessionQuery(service)
    .queryFn()
    .then(
      ({ account }) => account.email_verified,
      () => false,
    );
}

/** The target of a link that verifies an e-mail address. It has a button, since mail programs open links by themselves. */
export default function VerifyEmailPage() {
  const [search] = useAddress();
  const token = search.get("token") ?? "";
  const verify = useChange((service) =>
    service.api("POST", "/verify-email", { token }).catch(async (cause: unknown) => {
      if (!(await isVerified(service))) throw cause;
    }),
  );
  return (
    <Entrance title="Verify your e-mail address">
      {verify.isSuccess ? (
        <Text role="status">Your address is verified.</Text>
      ) : (
        <>
          <Text>Confirm that this address is yours. It is used when you have lost your password.</Text>
          <SendingAction kind="main" label="Verify address" change={verify} autoFocus />
        </>
      )}
      <Anchor href="/dashboard" fz="sm" className="link">
        Go to the dashboard
      </Anchor>
    </Entrance>
  );
}
