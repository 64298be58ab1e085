/** An odd factor, so that the numbers below 2^64 map to distinct ids in no order. */
const SCATTER = 0x9e3779b97f4a7c15n;

/** The same plants, in random order of ids, in each format. `sqlite` has every column of the table, for sqlite3's own .import. */
const FORMS = {
  csv: (id: bigint, at: number, tag: string) => `${id},Monstera deliciosa no. ${at},${tag}`,
  ndjson: (id: bigint, at: number, tag: string) => `{"id":${id},"name":"Monstera deliciosa no. ${at}","tag":"${tag}"}`,
  sqlite: (id: bigint, at: number, tag: string) => `${at},1,${id},Monstera deliciosa no. ${at},${tag},1,0,0`,
  ids: (id: bigint) => `${id}`,
};
const HEADS = { csv: "id,name,tag\n", ndjson: "", sqlite: "", ids: "id\n" };

export function bulkRows(form: keyof typeof FORMS, count: number, tag = "indoor"): string {
  const ids = Array.from({ length: count }, (_, at) => BigInt.asIntN(64, BigInt(at + 1) * SCATTER));
  return `${HEADS[form]}${ids.map((id, at) => FORMS[form](id, at + 1, tag)).join("\n")}\n`;
}
