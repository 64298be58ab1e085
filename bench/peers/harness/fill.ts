/** Fills a system's database with the catalogue of a million plants. */
import { Database } from "bun:sqlite";
import { cataloguePlant, plantsInCatalogue } from "./catalogue.ts";
import type { Place } from "./place.ts";

const rowsAtOnce = 50_000;

/**
 * Inserts the catalogue by SQL, for a system whose interface would take hours. `statement` takes the id, the name and
 * the tag.
 */
export function fillTable(place: Place, statement: string): void {
  const database = new Database(place.databaseFile);
  database.run("PRAGMA busy_timeout = 10000");
  const insert = database.prepare(statement);
  for (let done = 0; done < plantsInCatalogue; done += rowsAtOnce) {
    database.transaction(() => {
      for (let position = done; position < done + rowsAtOnce; position++) {
        const { id, name, tag } = cataloguePlant(position);
        insert.run(id, name, tag);
      }
    })();
  }
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

/** The catalogue as newline-delimited JSON, for a system that takes many plants in one request. */
export function catalogueLines(): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let done = 0;
  return new ReadableStream({
    pull(controller) {
      if (done === plantsInCatalogue) return controller.close();
      const lines = Array.from({ length: 5000 }, (_, index) => `${JSON.stringify(cataloguePlant(done + index))}\n`);
      done += lines.length;
      controller.enqueue(encoder.encode(lines.join("")));
    },
  });
}
