import { drillSince, restoredFrom } from "./drill.ts";
import { type Outcomes, readOutcomes } from "./outcomes.ts";
import type { Storage } from "./storage.ts";

/** A webhook endpoint that is not delivered to as it should. */
interface FailingEndpoint {
  readonly id: string;
  /** The id of its store. */
  readonly account: string;
  readonly url: string;
  readonly status: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly failingSince: number | undefined;
}

/** Figures of the whole database. Plants are read from stored counters. */
export interface DatabaseFigures {
  readonly accounts: number;
  readonly plants: number;
  readonly failing: readonly FailingEndpoint[];
  /** The time at which a drill restored this copy, if one did. */
  readonly drillSince: string | undefined;
  /** If this is a restored copy: when and from which backup. */
  readonly restored: { readonly at: string; readonly backup: string } | undefined;
  readonly mail: Outcomes;
  readonly backup: Outcomes;
}

export async function readFigures({ db }: Pick<Storage, "db">): Promise<DatabaseFigures> {
  const accounts = db.selectFrom("stores").select((row) => row.fn.countAll<number>().as("count"));
  const plants = db.selectFrom("plant_counts").select((row) => row.fn.sum("count").as("count"));
  const failing = await db
    .selectFrom("webhook_endpoints as endpoint")
    .innerJoin("stores", "stores.number", "endpoint.account")
    .select(["endpoint.id", "endpoint.url", "endpoint.status", "stores.id as account", "endpoint.failing_since"])
    .where((is) =>
      is.or([
        is("failing_since", "is not", null),
        is.and([is("status", "!=", "enabled"), is("reason", "!=", "by_hand")]),
      ]),
    )
    .orderBy("endpoint.id")
    .execute();
  return {
    accounts: (await accounts.executeTakeFirst())?.count ?? 0,
    drillSince: await drillSince(db),
    restored: await restoredFrom(db),
    mail: await readOutcomes(db, "mail"),
    backup: await readOutcomes(db, "backup"),
    plants: Number((await plants.executeTakeFirst())?.count ?? 0),
    failing: failing.map(({ failing_since, ...endpoint }) => ({
      ...endpoint,
      failingSince: failing_since ?? undefined,
    })),
  };
}
