import { Badge } from "@mantine/core";
import type { TokenRecord } from "#contract/dashboard.ts";
import { serviceNow } from "../api/clock.ts";
import { Icon, type IconName } from "../icon.tsx";

const SHOWN: Readonly<Record<TokenRecord["state"], { word: string; icon: IconName; color: string }>> = {
  active: { word: "Active", icon: "check", color: "leaf" },
  expired: { word: "Expired", icon: "clock", color: "gray" },
  revoked: { word: "Revoked", icon: "blocked", color: "red" },
};

/** By word and icon; the colour only repeats it. */
export function TokenState({ token }: { readonly token: TokenRecord }) {
  const { word, icon, color } = SHOWN[token.state];
  const ending = token.state === "active" && token.revoked_at !== null && Date.parse(token.revoked_at) > serviceNow();
  return (
    <Badge
      variant="light"
      color={ending ? "yellow" : color}
      leftSection={<Icon name={ending ? "clock" : icon} size={12} />}
      tt="none"
      styles={{ root: { minWidth: "max-content" } }}
    >
      {ending ? "Being replaced" : word}
    </Badge>
  );
}
