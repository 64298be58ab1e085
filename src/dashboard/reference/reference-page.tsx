import { Anchor, Code, Group, NavLink, Stack, Text, Title } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { memo, startTransition, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { type FoundGuide, GUIDES, GUIDES_PATH, GUIDES_TEXT } from "#contract/guides.ts";
import { useAnswer } from "../api/asking.ts";
import { useSignal } from "../api/signal.ts";
import { Answered } from "../components/answered.tsx";
import { CopiedCode } from "../components/copy-button.tsx";
import { DetailsList } from "../components/details.tsx";
import { ExampleBlock } from "../components/example-block.tsx";
import { SearchField } from "../components/filters.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { usePage, useService } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useSessionIfAny } from "../session/session.ts";
import { hasWords } from "../text/has-words.ts";
import { createRequest, requestExamples, TOKEN_PLACEHOLDER } from "../text/request-examples.ts";
import { MarkedText } from "./marked-text.tsx";
import { type OpenApiDocument, type Operation, operationsOf, referenceQuery } from "./openapi.ts";
import { Method, OperationView } from "./operation-view.tsx";

export default function ReferencePage() {
  const document = useQuery(referenceQuery(useService()));
  return (
    <>
      <PageTitle title="API reference" text={document.data && `Version ${document.data.info.version}`}>
        <Group gap="md" className="links">
          <Anchor href="/openapi.json">openapi.json</Anchor>
          <Anchor href="/openapi.yaml">openapi.yaml</Anchor>
        </Group>
      </PageTitle>
      <Answered query={document} data={document.data} shape={600}>
        {(published) => <Reference document={published} />}
      </Answered>
    </>
  );
}

function Reference({ document: published }: { readonly document: OpenApiDocument }) {
  const { info, tags } = published;
  const [search = "", setSearch] = useState<string>();
  const signedIn = useSessionIfAny() !== undefined;
  const receivers = useAnswer(["receivers"], async () => (await import("./webhook-receivers.ts")).RECEIVERS);
  const operations = useMemo(() => operationsOf(published), [published]);
  const found = useMemo(() => operations.filter((each) => matches(each, search)), [operations, search]);
  const rendered = useGrowingCount(operations.length);
  const shown = found.slice(0, rendered);
  // The browser looks for a link's target before it is rendered, so the search is repeated.
  useEffect(scrollToHash, []);
  return (
    <div className="reference wide" data-framed={signedIn || undefined}>
      <Contents tags={tags} operations={found} search={search} onSearch={setSearch} />
      {/* By the width of the operations themselves: the frame takes its part of the window only with a session. */}
      <Stack gap="xl" miw={0} style={{ containerType: "inline-size" }}>
        {search === "" && <GettingStarted />}
        {tags.map(({ name, description }) => {
          const group = shown.filter(hasTag(name));
          if (group.length === 0 && (search !== "" || rendered < operations.length)) return null;
          return (
            <Stack key={name} component="section" gap="lg" aria-labelledby={tagId(name)}>
              <div>
                <Title order={2} id={tagId(name)} className="operation-title">
                  {name}
                </Title>
                {description && <MarkedText text={description} />}
              </div>
              {search === "" && group[0]?.isWebhook && receivers.data && <ExampleBlock examples={receivers.data} />}
              {group.map((operation) => (
                <OperationView key={operation.operationId} operation={operation} />
              ))}
            </Stack>
          );
        })}
        {search === "" && rendered >= operations.length && (
          <Stack component="section" gap="xs" aria-labelledby="tag-fine-print">
            <Title order={2} id="tag-fine-print" className="operation-title">
              Fine print
            </Title>
            <MarkedText text={info.description ?? ""} />
          </Stack>
        )}
        {found.length === 0 && <Text role="status">No operation has “{search}”</Text>}
      </Stack>
    </div>
  );
}

/** All that a first request needs: where it goes, who sends it, and its answer. */
function GettingStarted() {
  const { service, madeToken } = usePage();
  const token = useSignal(madeToken) ?? TOKEN_PLACEHOLDER;
  return (
    <Stack component="section" gap="md" aria-labelledby="getting-started">
      <Title order={2} id="getting-started" className="operation-title">
        Getting started
      </Title>
      <DetailsList
        of={{
          "Base address": <CopiedCode value={service.origin} what="base address" />,
          Authentication: (
            <>
              <Code className="breaks">Authorization: Bearer {token}</Code>{" "}
              <Anchor href={`${DEVELOPER}/tokens?make=token`}>Create a token</Anchor>
            </>
          ),
        }}
      />
      <ExampleBlock examples={requestExamples(service.origin, token, createRequest("1"))} />
      <Text size="sm">It is answered with 200, once the plant is on disk:</Text>
      <pre translate="no" className="code-block">
        {'{"name":"Monstera deliciosa","tag":"indoor"}'}
      </pre>
    </Stack>
  );
}

const LINK = { component: "a", px: 8, py: 3, mih: 28 } as const;

interface ContentsProps extends Pick<OpenApiDocument, "tags"> {
  readonly operations: readonly Operation[];
  readonly search: string;
  readonly onSearch: (search?: string) => void;
}

const Contents = memo(function Contents({ tags, operations, search, onSearch }: ContentsProps) {
  const inView = useSectionInView();
  return (
    <Stack component="nav" gap={8} className="reference-contents" aria-label="Guides and operations">
      <SearchField label="Search guides and reference" value={search} onSearch={onSearch} flex="none" />
      <Stack gap={10} pb={16} className="reference-links">
        <GuideLinks search={search} />
        {tags
          .map(({ name }) => ({ name, group: operations.filter(hasTag(name)) }))
          .filter(({ group }) => group.length > 0 || search === "")
          .map(({ name, group }) => (
            <div key={name}>
              <NavLink {...LINK} href={`#${tagId(name)}`} label={name} fw={600} />
              {group.map(({ operationId: id, method, summary }) => (
                <NavLink
                  {...LINK}
                  key={id}
                  href={`#${id}`}
                  className="contents-link"
                  label={summary}
                  rightSection={<Method method={method} size="xs" />}
                  c={id === inView ? undefined : "dimmed"}
                  active={id === inView}
                  aria-current={id === inView ? "location" : undefined}
                />
              ))}
            </div>
          ))}
      </Stack>
    </Stack>
  );
});

/** The guides; with a search those that have its words. */
function GuideLinks({ search }: { readonly search: string }) {
  const ask = { staleTime: Number.POSITIVE_INFINITY, enabled: search !== "" };
  const texts = useAnswer(["guides"], (service) => service.request<FoundGuide[]>("GET", GUIDES_TEXT), ask);
  const guides =
    search === "" ? GUIDES : (texts.data ?? []).filter(({ title, text }) => hasWords(`${title} ${text}`, search));
  if (guides.length === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600} px={8} py={4}>
        Guides
      </Text>
      {guides.map(({ name, title }) => (
        <NavLink
          {...LINK}
          key={name}
          href={`${GUIDES_PATH}/${name}`}
          className="contents-link"
          label={title}
          c="dimmed"
        />
      ))}
    </div>
  );
}

function useSectionInView(): string | undefined {
  const [id, setId] = useState<string>();
  useWindowEvent("scroll", () => {
    const operations = [...document.querySelectorAll(".operation")];
    // Below the bar of narrow windows, and where a link into the page brings its section.
    setId(operations.find((each) => each.getBoundingClientRect().bottom > 120)?.id);
  });
  return id;
}

function hasTag(name: string) {
  return ({ tags: [first] }: Operation) => first === name;
}

function tagId(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(" ", "-")}`;
}

function matches(operation: Operation, search: string): boolean {
  const { operationId, method, path, summary, description, parameters } = operation;
  const words = [operationId, method, path, summary, description, ...parameters.map(({ name }) => name)];
  return hasWords(words.join(" "), search);
}

/**
 * The number of operations to render: one after the other, since all at once would block a slow device for a second. A
 * link into the page needs everything before its target, so then all are rendered.
 */
function useGrowingCount(total: number): number {
  const [count, setCount] = useState(() => (location.hash === "" ? 0 : total));
  useEffect(() => {
    if (count >= total) return;
    const next = setTimeout(() => startTransition(() => setCount(count + 1)));
    const all = () => {
      flushSync(() => setCount(total));
      scrollToHash();
    };
    addEventListener("hashchange", all);
    return () => {
      clearTimeout(next);
      removeEventListener("hashchange", all);
    };
  }, [count, total]);
  return count;
}

function scrollToHash(): void {
  // No id of the reference needs an escape, so the address is used unchanged: a mistyped one may contain a lone %.
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
