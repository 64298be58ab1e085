import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useSignal } from "../api/signal.ts";
import { ExampleBlock } from "../components/example-block.tsx";
import { Icon } from "../components/icon.tsx";
import { usePage } from "../program/page-context.tsx";
import { useSession } from "../session/session.ts";
import { Arrival } from "./arrival.tsx";
import { CreateToken, useCreateToken } from "./create-token.tsx";
import { type ExamplePlant, examples, TOKEN_PLACEHOLDER } from "./examples.ts";
import { useArrival } from "./first-request.ts";

interface QuickStartProps {
  /** The first plant of an account gets the id 1, a later one a free id. */
  readonly first: boolean;
}

/** Three steps to the first plant. */
export function QuickStart({ first }: QuickStartProps) {
  const { base_url } = useSession();
  const create = useCreateToken();
  const secret = useSignal(usePage().madeToken);
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
        Add your first plant in three steps
      </Title>
      <Step number={1} title="Create a token" done={secret !== undefined || arrived}>
        <Text size="sm" c="dimmed">
          Your program sends it with each request, so that Plantstore knows it acts for you.
        </Text>
        <Group>
          <Button onClick={create.open} variant={secret === undefined ? "filled" : "default"}>
            {secret === undefined ? "Create token" : "Create another token"}
          </Button>
        </Group>
      </Step>
      <Step number={2} title="Send a plant" done={arrived}>
        <Text size="sm" c="dimmed">
          {secret === undefined
            ? `Replace ${TOKEN_PLACEHOLDER} with your token. A token that you create here is filled in for you.`
            : "Your token is filled in. Run it as it is."}
        </Text>
        <ExampleBlock examples={examples(base_url, secret ?? TOKEN_PLACEHOLDER, plant)} />
      </Step>
      <Step number={3} title="See it arrive" done={arrived}>
        <Arrival arrived={arrival.data} />
        {arrived && (
          <Anchor component={Link} href="/dashboard/plants" underline="always">
            Go to your plants
          </Anchor>
        )}
      </Step>
      <CreateToken />
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
