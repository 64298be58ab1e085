import { Anchor, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearchParams } from "wouter";
import { Welcome } from "#contract/dashboard.ts";
import { api } from "../api/request.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { HOME } from "../home.ts";
import { useSignedIn } from "../session/session.ts";
import { Entrance } from "../sign-in/entrance.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

/** The first account, by the one-time link that the first start prints; or any account where sign-up is open. */
export default function WelcomePage() {
  const [search] = useSearchParams();
  const [, navigate] = useLocation();
  const signedIn = useSignedIn();
  const code = search.get("code") ?? "";
  const welcome = useQuery({
    queryKey: ["welcome", code],
    queryFn: () => api("GET", `/welcome?code=${encodeURIComponent(code)}`, Welcome),
  });
  const done = async () => {
    await signedIn();
    navigate(HOME, { replace: true });
  };
  return (
    <Entrance title="Welcome to Plantstore">
      {welcome.isPending && (
        <Stack className="late">
          <Skeleton h={60} />
          <Skeleton h={60} />
          <Skeleton h={36} />
        </Stack>
      )}
      <FailureNotice cause={welcome.error} retry={() => welcome.refetch()} />
      {welcome.data?.open && <SignUpForm code={code} done={done} />}
      {welcome.data && !welcome.data.open && <Text>{welcome.data.message}</Text>}
      <Text size="sm">
        {welcome.data?.open && "You have an account already? "}
        <Anchor component={Link} href="/sign-in" underline="always">
          Sign in
        </Anchor>
      </Text>
    </Entrance>
  );
}
