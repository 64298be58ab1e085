import { Button, Center } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useEffect } from "react";

/** So far the list goes on by itself as one scrolls; beyond, the page would grow heavy, and a click is asked for. */
const PAGES_BY_THEMSELVES = 20;

interface MorePlantsProps {
  readonly pages: number;
  readonly loading: boolean;
  readonly onMore: () => void;
}

export function MorePlants({ pages, loading, onMore }: MorePlantsProps) {
  const { ref, inViewport } = useInViewport();
  const wanted = inViewport && !loading && pages < PAGES_BY_THEMSELVES;
  useEffect(() => {
    if (wanted) onMore();
  }, [wanted, onMore]);
  return (
    <Center ref={ref} py="md">
      <Button variant="default" loading={loading} onClick={onMore}>
        Show more
      </Button>
    </Center>
  );
}
