import { Text } from "@mantine/core";
import { useState } from "react";
import type { IdentityList, IdentityRecord } from "#contract/dashboard/identities.ts";
import { useAnswer } from "../api/asking.ts";
import { Icon } from "../components/icon.tsx";
import { ProviderButton } from "../components/provider-button.tsx";
import { Question } from "../components/question.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SETTINGS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { focusTitle, Items, Section } from "./section.tsx";

const KEY = "identities";
const ID = "identities";

/** The identities of the service's provider that sign the reader in. Nothing without a provider. */
export function Identities() {
  const { provider } = useSession();
  return provider === null ? null : <ProvidedIdentities provider={provider} />;
}

function ProvidedIdentities({ provider }: { readonly provider: string }) {
  const [removing, setRemoving] = useState<IdentityRecord>();
  const identities = useAnswer([KEY], (service) => service.api<IdentityList>("GET", "/identities"));
  return (
    <Section id={ID} title="Identities" text={`Sign in with ${provider} instead of a password for Plantstore.`}>
      <Items
        query={identities}
        rows={identities.data?.identities}
        shape={32}
        empty={null}
        icon={<Icon name="user" />}
        item={(identity) => ({
          key: identity.id,
          name: nameOf(identity),
          remark: (
            <>
              Added <RelativeTime at={identity.added_at} />, last used <RelativeTime at={identity.last_used_at} />
            </>
          ),
          button: { label: "Remove", onClick: () => setRemoving(identity) },
        })}
      />
      <div>
        <ProviderButton label={`Connect ${provider}`} purpose="connect" back={`${SETTINGS}/security#${ID}`} />
      </div>
      {removing && <RemoveIdentity identity={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

/** By its address; otherwise by the host of its provider. */
function nameOf({ email, issuer }: IdentityRecord): string {
  return email || new URL(issuer).host;
}

function RemoveIdentity({ identity, onClose }: { readonly identity: IdentityRecord; readonly onClose: () => void }) {
  const close = () => {
    onClose();
    focusTitle(ID);
  };
  return (
    <Question
      title="Remove this identity?"
      label="Remove"
      failure="The identity could not be removed"
      send={async (service) => {
        await service.api("POST", `/identities/${identity.id}/remove`, undefined, "unspent");
        service.proofs.spend();
      }}
      changes={[KEY]}
      done={(_, renewed) => renewed}
      close={close}
      onClose={onClose}
    >
      <Text className="breaks">
        <bdi>{nameOf(identity)}</bdi> no longer signs you in. Who is signed in by it stays so until the session ends.
      </Text>
    </Question>
  );
}
