import { Text } from "@mantine/core";
import { CutButton } from "../components/cut-button.tsx";

/** A plant's name, for an element with the name's own text direction. A blank name is marked as blank. */
export function PlantName({ name }: { readonly name: string }) {
  return name.trim() === "" ? (
    <Text span c="dimmed" fs="italic" inherit>
      (blank)
    </Text>
  ) : (
    name
  );
}

interface TagProps {
  readonly tag: string;
  readonly onClick: () => void;
}

/** A tag. A click shows the plants that have it. */
export function Tag({ tag, onClick }: TagProps) {
  return (
    <CutButton
      className="tag"
      text={tag}
      dir="auto"
      aria-label={tag === "" ? "Show plants with the empty tag" : `Show plants tagged ${tag}`}
      onClick={(event) => {
        event.stopPropagation();
        onClick();
      }}
    >
      {tag === "" ? "(empty)" : tag}
    </CutButton>
  );
}
