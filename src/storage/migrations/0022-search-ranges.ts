import type { Migrations } from "../engine.ts";
import { oldTableAsRange } from "../sqlite/search-table.ts";

export const migrations: Migrations = {
  /**
   * The search index on SQLite in ranges of insertion numbers, each a table `plant_search_<range>` of its own. One has the
   * plants from `first` to `last`, none if that is less, and may grow to `until`. Its `state` is "filling", "merging" (into
   * a single segment), "whole", or "old" for what a version before ranges has indexed: that is searched until it is indexed
   * anew. `writes` counts the transactions since the last merge, `dropped` the changed and removed plants since the last
   * whole one.
   *
   * `plant_search_changes` has indexed plants as the index knows them, which were changed or removed since. A trigger
   * notes them, so that it also sees what an older version does, beside this one or after a return to it. That finds its
   * own index empty and fills it again.
   */
  "0022-search-ranges": (_, engine) =>
    engine === "sqlite"
      ? [
          `CREATE TABLE plant_search_ranges (
            range integer PRIMARY KEY, first integer NOT NULL, last integer NOT NULL, until integer NOT NULL,
            state text NOT NULL, plants integer NOT NULL DEFAULT 0, dropped integer NOT NULL DEFAULT 0,
            writes integer NOT NULL DEFAULT 0
          )`,
          "CREATE INDEX plant_search_ranges_last ON plant_search_ranges (last)",
          `CREATE TABLE plant_search_changes (
            number integer PRIMARY KEY, account integer NOT NULL, name text NOT NULL, tag text
          )`,
          ...["UPDATE OF name, tag", "DELETE"].map(
            (change, at) => `CREATE TRIGGER plants_${["changed", "removed"][at]} AFTER ${change} ON plants
            WHEN OLD.number <= (SELECT max(last) FROM plant_search_ranges) BEGIN
              INSERT OR IGNORE INTO plant_search_changes VALUES (OLD.number, OLD.account, OLD.name, OLD.tag);
            END`,
          ),
          ...oldTableAsRange(0, "value"),
        ]
      : [],
};
