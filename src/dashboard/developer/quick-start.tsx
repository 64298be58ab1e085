import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Icon } from "../icon.tsx";
import { useSession } from "../session/session.ts";
import { Arrival } from "./arrival.tsx";
import { CreateTokenDialog } from "./create-token-dialog.tsx";
import { ExampleBlock } from "./example-block.tsx";
import { type ExamplePlant, examples, TOKEN_PLACE } from "./examples.ts";
import { useArrival } from "./first-request.ts";
import { useOpenToken } from "./open-token.ts";

interface QuickStartProps {
  /** The first plant of an account has the id 1; a later one takes an id that is surely free. */
  readonly first: boolean;
}

/** Three steps to a first plant. The secret stays in this component, and ends with it. */
export function QuickStart({ first }: QuickStartProps) {
  const { base_url } = useSession();
  const { making, make, close } = useOpenToken();
  const [secret, setSecret] = useState<string>();
  const [plant] = useState<ExamplePlant>(() => ({
    id: first ? "1" : String(Date.now()),
    name: "Monstera deliciosa",
    tag: "indoor",
  }));
  const arrival = useArrival();
  const arrived = arrival.data?.plant != null;
  return (
    <Stack component="section" className="panel" gap="xl" aria-labelledby="quick-start-title">
      <Title order={2} id="quick-start-title">
        Your first plant in three steps
      </Title>
      <Step number={1} title="Make a token" done={secret !== undefined}>
        <Text size="sm" c="dimmed">
          A program shows it with each request, so that the service knows it acts for you.
        </Text>
        <Group>
          <Button onClick={make} variant={secret === undefined ? "filled" : "default"}>
            {secret === undefined ? "Make a token" : "Make another token"}
          </Button>
        </Group>
      </Step>
      <Step number={2} title="Send a plant" done={arrived}>
        <Text size="sm" c="dimmed">
          {secret === undefined
            ? `Put your token where ${TOKEN_PLACE} stands. Once you have made one here, it is filled in.`
            : "Your token is filled in: run it as it stands."}
        </Text>
        <ExampleBlock examples={examples(base_url, secret ?? TOKEN_PLACE, plant)} />
      </Step>
      <Step number={3} title="See it arrive" done={arrived}>
        <Arrival arrived={arrival.data} />
        {arrived && (
          <Anchor component={Link} href="/plants">
            Go to your plants
          </Anchor>
        )}
      </Step>
      <CreateTokenDialog opened={making} onClose={close} onSecret={setSecret} />
    </Stack>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly done: boolean;
  readonly children: ReactNode;
}

function Step({ number, title, done, children }: StepProps) {
  return (
    <div className="step">
      <div className="step-mark" data-done={done || undefined}>
        {done ? <Icon name="check" size={16} /> : number}
      </div>
      <Stack gap="sm" miw={0}>
        <Title order={3}>
          {title}
          {done && <span className="visually-hidden"> (done)</span>}
        </Title>
        {children}
      </Stack>
    </div>
  );
}
