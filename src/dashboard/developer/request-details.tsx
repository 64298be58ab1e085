import { Alert, Anchor, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RequestDetail } from "#contract/dashboard/requests.ts";
import { plainText, RequestFailure } from "../api/failure.ts";
import { useFocusReturn } from "../browser/focus-return.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details-list.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { exactTime, RelativeTime } from "../components/relative-time.tsx";
import { SidePanel } from "../components/side-panel.tsx";
import { DEVELOPER } from "../program/page-addresses.ts";
import { useService } from "../program/page-context.tsx";
import { indentedJson } from "../reference/json-text.ts";
import { formatBytes, formatDuration, formatNumber } from "../text/numbers.ts";
import { sentence } from "../text/sentence.ts";
import { errorHelp, errorMeaning } from "./error-help.ts";
import { repeatLine, useRequest } from "./requests.ts";

/** One request with all its details, beside the list. */
export function RequestDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  useFocusReturn();
  const request = useRequest(id);
  const unknown = request.error instanceof RequestFailure && request.error.status === 404;
  return (
    <SidePanel
      opened
      onClose={onClose}
      size={560}
      title={request.data ? `${request.data.method} ${request.data.path}` : id}
    >
      <FailureNotice
        cause={request.error}
        title={unknown ? "This request is not in the log" : undefined}
        retry={() => request.refetch()}
      />
      {request.isPending && <Skeleton h={320} className="late" />}
      {request.data && <Details record={request.data} />}
    </SidePanel>
  );
}

function Details({ record }: { readonly record: RequestDetail }) {
  const { origin } = useService();
  const { error, message, excerpt } = record;
  const line = repeatLine(origin, record);
  return (
    <Stack gap="lg">
      {error !== undefined && (
        <Alert color={record.status < 500 ? "yellow" : "red"} icon={<Icon name="warning" />} title={`Error ${error}`}>
          <Stack gap="xs">
            <Text className="breaks">{sentence(plainText(message ?? errorMeaning(error)))}</Text>
            {errorHelp(error) && <Text className="breaks">{errorHelp(error)}</Text>}
            <Group gap="md" className="links">
              <Anchor component={Link} href={`${DEVELOPER}/requests?error=${error}`} underline="always" c="inherit">
                All requests with this error
              </Anchor>
              <Anchor component={Link} href="/docs#tag-errors" underline="always" c="inherit">
                All errors
              </Anchor>
            </Group>
          </Stack>
        </Alert>
      )}
      <DetailsList rows={rowsOf(record)} />
      {excerpt !== undefined && (
        <Stack gap="xs">
          <Title order={3}>Request body</Title>
          <pre className="code-block">{indentedJson(excerpt)}</pre>
        </Stack>
      )}
      <Stack gap="xs">
        <Group justify="space-between">
          <Title order={3}>Repeat this request</Title>
          <CopyButton value={line} what="curl line" compact />
        </Group>
        <pre className="code-block">{line}</pre>
      </Stack>
    </Stack>
  );
}

function rowsOf(record: RequestDetail) {
  const { request_id, at, status, ms, token, address, agent, bytes_in, plant_id, replayed, sampled_of, trace_id } =
    record;
  const rows: (readonly [string, ReactNode])[] = [
    [
      "Request id",
      <Group key="id" gap={4} wrap="nowrap">
        <Code className="breaks">{request_id}</Code>
        <CopyButton value={request_id} what="request id" compact />
      </Group>,
    ],
    ["Status", status],
    [
      "Time",
      <>
        {exactTime(at)} (<RelativeTime at={at} />)
      </>,
    ],
    ["Duration", formatDuration(ms)],
  ];
  if (token) {
    const link = (
      <Anchor component={Link} href={`${DEVELOPER}/tokens?token=${token.id}`} underline="always">
        <bdi>{token.name || token.id}</bdi>
      </Anchor>
    );
    rows.push(["Token", link]);
  }
  if (plant_id !== undefined) {
    const link = (
      <Anchor component={Link} href={`/dashboard/plants?plant=${plant_id}`} underline="always" ff="monospace">
        {plant_id}
      </Anchor>
    );
    rows.push(["Plant", link]);
  }
  if (address) rows.push(["From", address]);
  if (agent) rows.push(["Client", agent]);
  if (bytes_in !== undefined) rows.push(["Size", formatBytes(bytes_in)]);
  if (replayed) rows.push(["Repeated", "Answered like the first time; nothing was written"]);
  if (trace_id) rows.push(["Trace", trace_id]);
  if (sampled_of) rows.push(["Sample", `One of ${formatNumber(sampled_of)} successes in that second`]);
  return rows;
}
