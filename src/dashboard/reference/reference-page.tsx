import { Anchor, Group, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { memo, startTransition, useEffect, useMemo, useState } from "react";
import { flushSync } from "react-dom";
import { Answered } from "../components/answered.tsx";
import { SearchField } from "../components/filters.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { useService } from "../program/page-context.tsx";
import { useSessionIfAny } from "../session/session.ts";
import { MarkedText } from "./marked-text.tsx";
import { type OpenApiDocument, type Operation, operationsOf, referenceQuery } from "./openapi.ts";
import { Method, OperationView } from "./operation-view.tsx";

/** The API reference, made from the document that the service publishes. Everybody may read it. */
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
  const [search, setSearch] = useState("");
  const signedIn = useSessionIfAny() !== undefined;
  const operations = useMemo(() => operationsOf(published), [published]);
  const found = useMemo(() => operations.filter((each) => matches(each, search)), [operations, search]);
  const rendered = useGrowingCount(operations.length);
  const shown = found.slice(0, rendered);
  // The browser looks for a link's target before it is rendered, so the search is repeated.
  useEffect(scrollToHash, []);
  return (
    <div className="reference wide" data-framed={signedIn || undefined}>
      <Contents tags={tags} operations={found} search={search} onSearch={(text = "") => setSearch(text)} />
      <Stack gap="xl" miw={0} className="operations">
        {search === "" && <MarkedText text={info.description ?? ""} />}
        {tags.map(({ name, description }) => {
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
                <OperationView key={operation.id} operation={operation} />
              ))}
            </Stack>
          );
        })}
        {found.length === 0 && <Text role="status">No results for “{search}”</Text>}
      </Stack>
    </div>
  );
}

interface ContentsProps extends Pick<OpenApiDocument, "tags"> {
  readonly operations: readonly Operation[];
  readonly search: string;
  readonly onSearch: (search?: string) => void;
}

const Contents = memo(function Contents({ tags, operations, search, onSearch }: ContentsProps) {
  return (
    <nav className="reference-contents" aria-label="Operations">
      <SearchField label="Search the reference" value={search} onSearch={onSearch} flex="none" />
      <div className="reference-links">
        {tags.map(({ name }) => (
          <div key={name}>
            <a className="contents-tag" href={`#${tagId(name)}`}>
              {name}
            </a>
            {operations
              .filter(({ tag }) => tag === name)
              .map(({ id, method, summary }) => (
                <a key={id} href={`#${id}`} className="contents-link">
                  <span>{summary}</span> <Method method={method} />
                </a>
              ))}
          </div>
        ))}
      </div>
    </nav>
  );
});

function tagId(name: string): string {
  return `tag-${name.toLowerCase().replaceAll(" ", "-")}`;
}

export function matches({ id, method, path, summary, description, parameters }: Operation, search: string): boolean {
  const text = [id, method, path, summary, description, ...parameters.map(({ name }) => name)].join(" ").toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
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
