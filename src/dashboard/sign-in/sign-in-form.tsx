import { Button, Stack } from "@mantine/core";
import { useState } from "react";
import { CredentialsForm } from "./credentials-form.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

interface SignInFormProps {
  /** Who is expected, if that is known. */
  readonly email?: string;
  /** Once there is a session. */
  readonly done: () => Promise<void>;
}

/** E-mail and password, then the second factor where there is one; or a passkey alone. */
export function SignInForm({ email, done }: SignInFormProps) {
  const [secondFactor, setSecondFactor] = useState(false);
  if (secondFactor) {
    return (
      <Stack>
        <SecondFactorForm done={done} />
        <Button variant="subtle" color="gray" onClick={() => setSecondFactor(false)}>
          Back
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <CredentialsForm email={email} done={done} onSecondFactor={() => setSecondFactor(true)} />
      <PasskeyButton done={done} />
    </Stack>
  );
}
