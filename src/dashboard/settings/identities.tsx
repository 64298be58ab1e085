import { Text } from "@mantine/core";
import { useState } from "react";
import type { IdentityList, IdentityRecord } from "#contract/dashboard/identities.ts";
import { useAnswer } from "../api/asking.ts";
import { ProviderButton } from "../components/provider-button.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SETTINGS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { Items, RemoveWayIn, Section } from "./section.tsx";

const KEY = "identities";

/** The identities of the service's provider that sign the reader in. Nothing without a provider. */
export function Identities() {
  const { provider } = useSession();
  return provider === null ? null : <ProvidedIdentities provider={provider} />;
}

function ProvidedIdentities({ provider }: { readonly provider: string }) {
  const [removing, setRemoving] = useState<IdentityRecord>();
  const identities = useAnswer([KEY], (service) => service.api<IdentityList>("GET", "/identities"));
  return (
    <Section id={KEY} title="Identities" text={`Sign in with ${provider} instead of a password for Plantstore.`}>
      <Items
        query={identities}
        rows={identities.data?.identities}
        shape={32}
        icon="user"
        item={(identity) => ({
          key: identity.id,
          name: nameOf(identity),
          remark: (
            <>
              Added <RelativeTime at={identity.added_at} />, last used <RelativeTime at={identity.last_used_at} />
            </>
          ),
          buttons: [{ label: "Remove", onClick: () => setRemoving(identity) }],
        })}
      />
      <div>
        <ProviderButton label={`Connect ${provider}`} purpose="connect" back={`${SETTINGS}/security#${KEY}`} />
      </div>
      {removing && (
        <RemoveWayIn
          title="Remove this identity?"
          failure="The identity could not be removed"
          section={KEY}
          remove={(service) => service.api("POST", `/identities/${removing.id}/remove`, undefined, "unspent")}
          changes={[KEY]}
          onClose={() => setRemoving(undefined)}
        >
          <Text className="breaks">
            <bdi translate="no">{nameOf(removing)}</bdi> no longer signs you in. Who is signed in by it stays so until
            the session ends.
          </Text>
        </RemoveWayIn>
      )}
    </Section>
  );
}

function nameOf({ email, issuer }: IdentityRecord): string {
  return email || new URL(issuer).host;
}
