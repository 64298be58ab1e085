import { Alert, Group, Stack, Text, Title } from "@mantine/core";
import type { RequestDetail } from "#contract/dashboard/requests.ts";
import { useAnswer } from "../api/asking.ts";
import { plainText, RequestFailure } from "../api/failure.ts";
import { Answered } from "../components/answered.tsx";
import { CopiedCode } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageLink } from "../components/page-link.tsx";
import { exactTime, RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { DEVELOPER, PLANTS } from "../program/pages.ts";
import { indentedJson } from "../text/json.ts";
import { formatBytes, formatDuration, formatNumber } from "../text/numbers.ts";
import { requestExamples, TOKEN_PLACEHOLDER } from "../text/request-examples.ts";
import { sentence } from "../text/sentence.ts";
import { errorHelp, errorMeaning } from "./error-help.ts";

export function RequestDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const request = useAnswer(["request", id], (service) =>
    service.api<RequestDetail>("GET", `/requests/${encodeURIComponent(id)}`),
  );
  const unknown = request.error instanceof RequestFailure && request.error.status === 404;
  const title = request.data ? `${request.data.method} ${request.data.path}` : id;
  return (
    <SidePanel onClose={onClose} title={<span translate="no">{title}</span>}>
      {unknown ? (
        <FailureNotice cause={request.error} title="This request is not in the log" retry={request.refetch} />
      ) : (
        <Answered query={request} data={request.data} shape={320}>
          {(record) => <Details record={record} />}
        </Answered>
      )}
    </SidePanel>
  );
}

function Details({ record }: { readonly record: RequestDetail }) {
  const { origin } = useService();
  const { method, path, status, error, message, excerpt } = record;
  const headers: Record<string, string> = excerpt === undefined ? {} : { "Content-Type": "application/json" };
  // A request that would fail without it.
  const lacksBody =
    excerpt === undefined && record.status < 400 && (method === "POST" || method === "PATCH" || method === "PUT");
  return (
    <Stack gap="lg">
      {error !== undefined && (
        <Alert color={status < 500 ? "yellow" : "red"} title={`Error ${error}`}>
          <Stack gap="xs">
            <Text className="breaks">{sentence(plainText(message ?? errorMeaning(error)))}</Text>
            <Text className="breaks">{errorHelp(error)}</Text>
            <Group gap="md" className="links">
              <PageLink href={`${DEVELOPER}/requests?error=${error}`} c="inherit">
                All requests with this error
              </PageLink>
              <PageLink href="/docs#tag-errors" c="inherit">
                All errors
              </PageLink>
            </Group>
          </Stack>
        </Alert>
      )}
      <Facts record={record} />
      {excerpt !== undefined && (
        <Stack gap="xs">
          <Title order={3}>Request body</Title>
          <pre translate="no" className="code-block">
            {indentedJson(excerpt)}
          </pre>
        </Stack>
      )}
      {/* The token was never stored, and of a body at most its beginning. */}
      <Stack gap="xs">
        <Title order={3}>Repeat this request</Title>
        {lacksBody ? (
          <Text variant="remark">The body of successful requests is not kept.</Text>
        ) : (
          <ExampleBlock
            examples={requestExamples(origin, TOKEN_PLACEHOLDER, { method, path, headers, body: excerpt })}
          />
        )}
      </Stack>
    </Stack>
  );
}

function Facts({ record }: { readonly record: RequestDetail }) {
  const { request_id, at, status, ms, token, address, agent, bytes_in, plant_id, replayed, sampled_of } = record;
  return (
    <DetailsList
      of={{
        "Request id": <CopiedCode value={request_id} what="request id" />,
        Status: status,
        Time: (
          <>
            {exactTime(at)} (<RelativeTime at={at} />)
          </>
        ),
        Duration: formatDuration(ms),
        Token: token && (
          <PageLink href={`${DEVELOPER}/tokens?token=${token.id}`}>
            <bdi translate="no">{token.name || token.id}</bdi>
          </PageLink>
        ),
        Plant: plant_id && (
          <PageLink href={`${PLANTS}?plant=${plant_id}`} ff="monospace">
            <span translate="no">{plant_id}</span>
          </PageLink>
        ),
        From: address,
        Client: agent || undefined,
        Size: bytes_in ? formatBytes(bytes_in) : undefined,
        Repeated: replayed && "Answered like the first time; nothing was written",
        Trace: record.trace_id,
        Sample: sampled_of && `One of ${formatNumber(sampled_of)} successes in that second`,
      }}
    />
  );
}
