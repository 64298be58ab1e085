import { useLocation, useSearchParams } from "wouter";
import { HOME } from "../home.ts";
import { useSignedIn } from "../session/session.ts";
import { Entrance } from "./entrance.tsx";
import { PasswordLost } from "./password-lost.tsx";
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

/** Where to go back to: a place of the dashboard's own, whatever the address says. */
export function placeWithin(back: string | null): string {
  return back !== null && /^\/(?![/\\])/.test(back) && !back.startsWith("/sign-in") ? back : HOME;
}
