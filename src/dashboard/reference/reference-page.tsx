import { Anchor, Group, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, startTransition, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useService } from "../program/page-context.tsx";
import { useSessionIfAny } from "../session/session.ts";
import { MarkedText } from "./marked-text.tsx";
import { type OpenApiDocument, type Operation, operationsOf } from "./openapi.ts";
import { Method, OperationView } from "./operation-view.tsx";
import { referenceQuery } from "./reference-document.ts";

/** The API reference, made from the document that the service publishes. Everybody may read it. */
export default function ReferencePage() {
  const service = useService();
  const document = useQuery(referenceQuery(service));
  return (
    <>
      <PageTitle title="API reference" text={document.data && `Version ${document.data.info.version}`}>
        <Group gap="md" className="links">
          <Anchor href="/openapi.json" underline="always">
            openapi.json
          </Anchor>
          <Anchor href="/openapi.yaml" underline="always">
            openapi.yaml
          </Anchor>
        </Group>
      </PageTitle>
      <FailureNotice cause={document.error} retry={() => document.refetch()} />
      {document.isPending && <Skeleton h={600} className="late" />}
      {document.data && <Reference document={document.data} />}
    </>
  );
}

function Reference({ document }: { readonly document: OpenApiDocument }) {
  const [search, setSearch] = useState("");
  const signedIn = useSessionIfAny() !== undefined;
  const operations = useMemo(() => operationsOf(document), [document]);
  const found = useMemo(() => operations.filter((each) => matches(each, search)), [operations, search]);
  const rendered = useGrowingCount(operations.length);
  const shown = found.slice(0, rendered);
  useHashScroll();
  return (
    <div className="reference wide" data-framed={signedIn || undefined}>
      <ReferenceContents document={document} operations={found} search={search} onSearch={setSearch} />
      <Stack gap="xl" miw={0} className="operations">
        {search === "" && <MarkedText text={document.info.description ?? ""} />}
        {document.tags.map(({ name, description }) => {
          const group = shown.filter(({ tag }) => tag === name);
          if (group.length === 0 && (search !== "" || rendered < operations.length)) return null;
          return (
            <Stack key={name} component="section" gap="lg" aria-labelledby={tagId(name)}>
              <div>
                <Title order={2} id={tagId(name)} className="operation-title">
                  {name}
                </Title>
                {description && <MarkedText text={description} />}
              </div>
              {group.map((operation) => (
                <OperationView key={operation.id} document={document} operation={operation} />
              ))}
            </Stack>
          );
        })}
        {found.length === 0 && <Text role="status">No results for “{search}”</Text>}
      </Stack>
    </div>
  );
}

interface ReferenceContentsProps {
  readonly document: OpenApiDocument;
  readonly operations: readonly Operation[];
  readonly search: string;
  readonly onSearch: (search: string) => void;
}

const ReferenceContents = memo(function ReferenceContents(props: ReferenceContentsProps) {
  const { document, operations, search, onSearch } = props;
  return (
    <nav className="reference-contents" aria-label="Operations">
      <TextInput
        aria-label="Search the reference"
        placeholder="Search the reference"
        inputMode="search"
        data-page-search
        leftSection={<Icon name="search" size={16} />}
        value={search}
        onChange={(event) => onSearch(event.currentTarget.value)}
        mb="sm"
      />
      <div className="reference-links">
        {document.tags.map(({ name }) => {
          const group = operations.filter(({ tag }) => tag === name);
          return (
            <div key={name}>
              <a className="contents-tag" href={`#${tagId(name)}`}>
                {name}
              </a>
              {group.map(({ id, method, summary }) => (
                <a key={id} href={`#${id}`} className="contents-link">
                  <span>{summary}</span> <Method method={method} />
                </a>
              ))}
            </div>
          );
        })}
      </div>
    </nav>
  );
});

function tagId(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(" ", "-")}`;
}

export function matches({ id, method, path, summary, description, parameters }: Operation, search: string): boolean {
  const text = [id, method, path, summary, description, ...parameters.map(({ name }) => name)].join(" ").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
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

/** The browser looks for a link's target before it is rendered, so the search is repeated. */
function useHashScroll(): void {
  useEffect(() => scrollToHash(), []);
}

function scrollToHash(): void {
  // No id of the reference needs an escape, so the address is used unchanged: a mistyped one may contain a lone %.
  globalThis.document.getElementById(location.hash.slice(1))?.scrollIntoView();
}
