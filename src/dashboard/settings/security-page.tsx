import { Stack } from "@mantine/core";
import { PageTitle } from "../components/page-title.tsx";
import { Sessions, TrustedDevices } from "./devices.tsx";
import { Identities } from "./identities.tsx";
import { Passkeys } from "./passkeys.tsx";
import { PasswordForm } from "./password-form.tsx";
import { TwoFactor } from "./two-factor.tsx";

export default function SecurityPage() {
  return (
    <>
      <PageTitle title="Security" />
      <Stack gap="lg">
        <PasswordForm />
        <TwoFactor />
        <Passkeys />
        <Identities />
        <Sessions />
        <TrustedDevices />
      </Stack>
    </>
  );
}
