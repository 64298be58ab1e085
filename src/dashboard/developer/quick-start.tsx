import { Alert, Code, Group, Loader, Stack, Text, ThemeIcon, Title, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import type { FirstRequest } from "#contract/dashboard/overview.ts";
import type { NextId } from "#contract/dashboard/plants.ts";
import { useAnswer } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { DetailsList } from "../components/details.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { Icon } from "../components/icon.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Panel } from "../components/page-title.tsx";
import { PLANTS_KEY } from "../plants/plant-data.ts";
import { usePage } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { createRequest, requestExamples, TOKEN_PLACEHOLDER } from "../text/request-examples.ts";
import { excerpt } from "../text/sentence.ts";
import { CreateToken, useCreateToken } from "./create-token.tsx";
import { errorMeaning } from "./error-help.ts";
import { useArrival } from "./first-request.ts";

/** Three steps to the first plant of a program. It gets the id that a plant added by hand would get. */
export function QuickStart() {
  const { base_url } = useSession();
  const create = useCreateToken();
  const secret = useSignal(usePage().madeToken);
  const next = useAnswer<NextId>([PLANTS_KEY, "next-id"], (service) => service.api("GET", "/plants/next-id"));
  const arrival = useArrival();
  const arrived = arrival?.plant != null;
  return (
    <Panel id="quick-start" title="Add your first plant in three steps" gap="xl">
      <Step number={1} title="Create a token" done={secret !== undefined || arrived}>
        <Text variant="remark">Your program sends it with each request, so that Plantstore knows it acts for you.</Text>
        <Group>
          <Action
            kind={secret === undefined ? "main" : "plain"}
            label={secret === undefined ? "Create token" : "Create another token"}
            onClick={create.open}
          />
        </Group>
      </Step>
      <Step number={2} title="Send a plant" done={arrived}>
        <Text variant="remark">
          {secret === undefined
            ? `Replace ${TOKEN_PLACEHOLDER} with your token. A token that you create here is filled in for you.`
            : "Your token is filled in. Run it as it is."}
        </Text>
        <ExampleBlock
          examples={requestExamples(base_url, secret ?? TOKEN_PLACEHOLDER, createRequest(next.data?.id ?? "1"))}
        />
      </Step>
      <Step number={3} title="See it arrive" done={arrived}>
        <div role="status">
          <Arrival arrival={arrival} />
        </div>
        {arrived && <PageLink href={PLANTS}>Go to your plants</PageLink>}
      </Step>
      <CreateToken />
    </Panel>
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
    <Group gap={12} wrap="nowrap" align="flex-start" className="step">
      <ThemeIcon variant={done ? "filled" : "light"} radius="xl" fw={600} fz="sm">
        {done ? <Icon name="check" size={16} /> : number}
      </ThemeIcon>
      <Stack gap="sm" flex={1} miw={0}>
        <Title order={3}>
          {title}
          {done && <VisuallyHidden> (done)</VisuallyHidden>}
        </Title>
        {children}
      </Stack>
    </Group>
  );
}

function Arrival({ arrival }: { readonly arrival: FirstRequest | undefined }) {
  if (arrival?.plant) {
    const { id, name, tag } = arrival.plant;
    return (
      <Alert color="leaf" icon={<Icon name="check" />} title="Your plant arrived">
        <DetailsList
          of={{
            Id: <Code>{id}</Code>,
            Name: <bdi translate="no">{excerpt(name)}</bdi>,
            Tag: tag && <bdi translate="no">{excerpt(tag)}</bdi>,
          }}
        />
      </Alert>
    );
  }
  return (
    <Stack gap="sm">
      <Group gap="sm" wrap="nowrap">
        <Loader size="sm" type="dots" aria-hidden="true" />
        <Text>Waiting for your first request…</Text>
      </Group>
      {arrival?.refused && (
        <Alert color="yellow">
          A request arrived, and was refused with {arrival.refused.error}: {errorMeaning(arrival.refused.error)}.
        </Alert>
      )}
    </Stack>
  );
}
