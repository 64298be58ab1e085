import { Stack, Title } from "@mantine/core";
import { useAnswer } from "../api/asking.ts";
import { Answered } from "../components/answered.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { inline } from "../reference/marked-text.tsx";
import type { NotedRelease } from "./releases.ts";

/** The changes of each release, from the changelog, which is loaded with this page alone. */
export default function ReleaseNotesPage() {
  const notes = useAnswer(["release-notes"], async () => (await import("./releases.ts")).RELEASES);
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

/** The heading that is shown first; the others are folded. */
const SEEN = "The dashboard";

function Release({ title, parts }: NotedRelease) {
  const isSplit = parts.some(({ heading }) => heading === SEEN);
  const seen = parts.filter(({ heading }) => !isSplit || heading === SEEN);
  const others = parts.filter((part) => !seen.includes(part));
  return (
    <Stack gap="sm">
      <Title order={2}>{title === "Unreleased" ? "Since the last release" : title}</Title>
      {seen.map((part) => (
        <Part key={part.heading} {...part} />
      ))}
      {others.length > 0 && (
        <details className="nested">
          <summary>For whoever connects programs or runs it</summary>
          <Stack gap="sm" mt="sm">
            {others.map((part) => (
              <Part key={part.heading} {...part} />
            ))}
          </Stack>
        </details>
      )}
    </Stack>
  );
}

function Part({ heading, changes }: NotedRelease["parts"][number]) {
  return (
    <Stack gap="xs">
      {heading && <Title order={3}>{heading}</Title>}
      <Stack component="ul" gap={6} m={0} pl={20} maw="75ch">
        {changes.map((change) => (
          <li key={change}>{inline(change)}</li>
        ))}
      </Stack>
    </Stack>
  );
}
