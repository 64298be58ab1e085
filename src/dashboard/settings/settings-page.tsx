import { Stack } from "@mantine/core";
import { PageTitle } from "../page-title.tsx";
import { DangerSection } from "./danger-section.tsx";
import { PasskeysSection } from "./passkeys-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProfileSection } from "./profile-section.tsx";
import { SessionsSection } from "./sessions-section.tsx";
import { TwoFactorSection } from "./two-factor-section.tsx";

export default function SettingsPage() {
  return (
    <>
      <PageTitle title="Settings" />
      <Stack gap="lg">
        <ProfileSection />
        <PasswordSection />
        <TwoFactorSection />
        <PasskeysSection />
        <SessionsSection />
        <DangerSection />
      </Stack>
    </>
  );
}
