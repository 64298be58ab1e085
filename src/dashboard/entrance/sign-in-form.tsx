import { Button, Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { CredentialsForm } from "./credentials-form.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

interface SignInFormProps {
  /** The address that is already filled in. */
  readonly email?: string;
  /** Called once there is a session. */
  readonly done: () => Promise<void>;
  /** Other ways to sign in, shown below the first step only. */
  readonly children?: ReactNode;
}

/** E-mail and password, then the second factor of accounts that have one; or only a passkey. */
export function SignInForm({ email, done, children }: SignInFormProps) {
  const [secondFactor, setSecondFactor] = useState(false);
  if (secondFactor) {
    return (
      <Stack>
        <SecondFactorForm done={done} />
        <Button variant="subtle" color="gray" onClick={() => setSecondFactor(false)}>
          Back to sign-in
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <CredentialsForm email={email} done={done} onSecondFactor={() => setSecondFactor(true)} />
      <PasskeyButton done={done} />
      {children}
    </Stack>
  );
}
