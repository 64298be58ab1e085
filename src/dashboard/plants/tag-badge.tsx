import { UnstyledButton } from "@mantine/core";

interface TagBadgeProps {
  readonly tag: string;
  readonly onClick: () => void;
}

/** A tag; clicked, it is the filter. */
export function TagBadge({ tag, onClick }: TagBadgeProps) {
  return (
    <UnstyledButton
      className="tag"
      aria-label={tag === "" ? "Only plants with the empty tag" : `Only plants with the tag ${tag}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {tag === "" ? "(empty)" : tag}
    </UnstyledButton>
  );
}
