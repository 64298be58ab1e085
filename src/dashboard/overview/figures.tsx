import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Overview } from "#contract/dashboard.ts";
import { HOME } from "../home.ts";
import { formatNumber } from "../numbers.ts";

const FIGURES = [
  { label: "Plants", href: "/plants", of: (overview: Overview) => overview.plants },
  { label: "Created today", href: "/plants", of: (overview: Overview) => overview.creates_today },
  { label: "Errors today", href: HOME, of: (overview: Overview) => overview.errors_today },
  { label: "Active tokens", href: "/developer", of: (overview: Overview) => overview.active_tokens },
];

export function Figures({ overview }: { readonly overview: Overview | undefined }) {
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      {FIGURES.map(({ label, href, of }) => (
        <Link key={label} href={href} className="panel figure">
          <Stack gap={4}>
            <Text size="sm" c="dimmed">
              {label}
            </Text>
            {overview ? (
              <Text className="figures" fz={28} fw={650} lh={1.2}>
                {formatNumber(of(overview))}
              </Text>
            ) : (
              <Skeleton h={34} w={80} className="late" />
            )}
          </Stack>
        </Link>
      ))}
    </SimpleGrid>
  );
}
