import { Text, UnstyledButton } from "@mantine/core";

/** A plant's name. A blank one is a name too, and shows as such. */
export function PlantName({ name }: { readonly name: string }) {
  return name.trim() === "" ? (
    <Text span c="dimmed" fs="italic" inherit>
      (blank)
    </Text>
  ) : (
    <bdi>{name}</bdi>
  );
}

interface TagProps {
  readonly tag: string;
  readonly onClick: () => void;
}

/** A tag. A click shows the plants that have it. */
export function Tag({ tag, onClick }: TagProps) {
  return (
    <UnstyledButton
      className="tag"
      title={tag}
      aria-label={tag === "" ? "Show plants with the empty tag" : `Show plants tagged ${tag}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {tag === "" ? "(empty)" : <bdi>{tag}</bdi>}
    </UnstyledButton>
  );
}
