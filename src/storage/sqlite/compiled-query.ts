import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { CompiledQuery, QueryResult } from "kysely";
import { requireStorable } from "../database-access.ts";

export function executeCompiled<Row>(database: Database, query: CompiledQuery): QueryResult<Row> {
  requireStorable(query.parameters);
  const statement = database.query(query.sql);
  const parameters = query.parameters.map(toBinding);
  if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) as Row[] };
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
}

function toBinding(value: unknown): SQLQueryBindings {
  if (value === undefined) return null;
  return value instanceof Date ? value.toISOString() : (value as SQLQueryBindings);
}
