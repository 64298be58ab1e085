import type { ReactNode } from "react";

interface DetailsListProps {
  readonly rows: readonly (readonly [term: string, value: ReactNode])[];
}

/** Terms and what they are, side by side; one below the other where it is narrow. */
export function DetailsList({ rows }: DetailsListProps) {
  return (
    <dl className="details-list">
      {rows.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
