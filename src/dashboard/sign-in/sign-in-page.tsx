import { useLocation, useSearchParams } from "wouter";
import { useSignedIn } from "../session/session.ts";
import { Entrance } from "./entrance.tsx";
import { PasswordLost } from "./password-lost.tsx";
import { placeWithin } from "./place-within.ts";
import { SignInForm } from "./sign-in-form.tsx";

export default function SignInPage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const signedIn = useSignedIn();
  const done = async () => {
    await signedIn();
    sessionStorage.removeItem("draft:sign-in");
    navigate(placeWithin(search.get("back")), { replace: true });
  };
  return (
    <Entrance title="Sign in to Plantstore">
      <SignInForm done={done} />
      <PasswordLost />
    </Entrance>
  );
}
