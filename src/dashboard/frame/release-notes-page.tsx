import { Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Answered } from "../components/answered.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { inline } from "../reference/marked-text.tsx";

/** The changes of each release, from the changelog, which is loaded with this page alone. */
export default function ReleaseNotesPage() {
  const notes = useQuery({
    queryKey: ["release-notes"],
    queryFn: async () => releasesOf((await import("#CHANGELOG.md", { with: { type: "text" } })).default),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <>
      <PageTitle title="What's new" text="What changed in this release, and in those before it." />
      <Answered query={notes} data={notes.data}>
        {([newest, ...earlier]) => (
          <Stack className="panel">
            {newest && <Release {...newest} />}
            {earlier.map((release) => (
              <details key={release.title} className="nested">
                <summary>{release.title}</summary>
                <Release {...release} />
              </details>
            ))}
          </Stack>
        )}
      </Answered>
    </>
  );
}

interface ReleaseProps {
  readonly title: string;
  readonly parts: readonly ReleasePart[];
}

interface ReleasePart {
  /** Empty for changes without a heading of their own. */
  readonly heading: string;
  readonly changes: readonly string[];
}

function Release({ title, parts }: ReleaseProps) {
  return (
    <Stack gap="sm">
      <Title order={2}>{title === "Unreleased" ? "Since the last release" : title}</Title>
      {parts.map(({ heading, changes }) => (
        <Stack key={heading} gap="xs">
          {heading && <Title order={3}>{heading}</Title>}
          <ul className="changes">
            {changes.map((change) => (
              <li key={change}>{inline(change)}</li>
            ))}
          </ul>
        </Stack>
      ))}
    </Stack>
  );
}

/** Each release under a heading of the second level has list items, in groups that a line of text may name. */
export function releasesOf(changelog: string): ReleaseProps[] {
  const [, ...sections] = changelog.split(/^## /m);
  return sections.map((section) => {
    const [title = "", ...lines] = section.split("\n");
    const parts: { heading: string; changes: string[] }[] = [];
    for (const block of lines.join("\n").split(/\n(?=- )|\n{2,}/)) {
      const text = block.replaceAll(/\s+/g, " ").trim();
      if (text.startsWith("- ")) {
        if (parts.length === 0) parts.push({ heading: "", changes: [] });
        parts.at(-1)?.changes.push(text.slice(2));
      } else if (text !== "") {
        parts.push({ heading: text.replace(/^#+ /, ""), changes: [] });
      }
    }
    return { title, parts };
  });
}
