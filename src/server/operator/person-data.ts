import { signInTables } from "#accounts/sign-in-tables.ts";
import { requestRecord } from "#contract/request-record.ts";
import { timestamp } from "#contract/timestamp.ts";
import { eventBodyWithDoer } from "#contract/v1/event.ts";
import { keptPlantBody } from "#contract/v1/plant.ts";
import type { AuditLogKey, AuditRecord } from "#core/audit.ts";
import type { Membership } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { newestEntries } from "./newest-entries.ts";

/** A file of an export: one value, or one JSON text for each line. */
export type DataFile = readonly [path: string, content: { readonly value: unknown } | AsyncIterable<string>];

/**
 * All that is stored about the person, and of each store that only they own. Secrets and hashes are left out: passwords, second
 * factors, sessions' and tokens' secrets, public keys, and the secrets of webhooks.
 */
export async function* personData(storage: Storage, person: Person): AsyncGenerator<DataFile> {
  const { records } = storage;
  const tables = signInTables(storage);
  const stores = await records.members.storesOf(person);
  const memberships = stores.map(({ id, name, role }) => ({ id, name, role }));
  yield ["person.json", { value: { ...dated(person), stores: memberships } }];
  yield [
    "sessions.json",
    { value: (await tables.sessions.list(person)).map(({ proof: _, ...session }) => dated(session)) },
  ];
  yield ["trusted-devices.json", { value: (await tables.trustedDevices.list(person, 0)).map(withoutHash) }];
  const passkeys = await tables.passkeys.list(person);
  yield ["passkeys.json", { value: passkeys.map(({ id, name, createdAt }) => dated({ id, name, createdAt })) }];
  const identities = await tables.identities.list(person);
  yield ["identities.json", { value: identities.map(({ personId: _, ...identity }) => dated(identity)) }];
  yield ["audit.ndjson", auditLines(storage, person.id)];
  for (const store of stores) if (await isOnlyOwner(storage, person, store)) yield* storeData(storage, store);
}

async function isOnlyOwner({ records }: Storage, person: Person, { account }: Membership): Promise<boolean> {
  const owners = (await records.members.list(account)).filter(({ role }) => role === "owner");
  return owners.length === 1 && owners[0]?.id === person.id;
}

async function* storeData(storage: Storage, { account, ...store }: Membership): AsyncGenerator<DataFile> {
  const { records, reads } = storage;
  const folder = `stores/${store.id}`;
  const { role: _, ...shown } = store;
  yield [`${folder}/store.json`, { value: { ...shown, plants: await records.plants.count(account) } }];
  yield [`${folder}/people.json`, { value: (await records.members.list(account)).map(dated) }];
  const invitations = await signInTables(storage).invitations.list(account);
  yield [`${folder}/invitations.json`, { value: invitations.map(ofStore) }];
  yield [`${folder}/tokens.json`, { value: (await reads.tokens.list(account)).map(ofStore) }];
  const endpoints = await new WebhookEndpoints(storage).list(account);
  const described = endpoints.map(({ secrets: _, position: __, types, ...endpoint }) => {
    return { ...ofStore(endpoint), types: types && [...types] };
  });
  yield [`${folder}/webhooks.json`, { value: described }];
  for (const { id } of endpoints) yield [`${folder}/deliveries-${id}.ndjson`, deliveryLines(storage, id)];
  yield [`${folder}/plants.ndjson`, plantLines(storage, account)];
  yield [`${folder}/events.ndjson`, eventLines(storage, account)];
  yield [`${folder}/requests.ndjson`, requestLines(storage, account)];
  const usage = await reads.usage.read(account, { span: "hour", from: 0 });
  yield [
    `${folder}/usage.json`,
    { value: usage.map(({ start, ...slice }) => ({ start: timestamp(start), ...slice })) },
  ];
  yield [`${folder}/audit.ndjson`, auditLines(storage, account)];
}

async function* plantLines({ reads }: Storage, account: AccountNumber): AsyncGenerator<string> {
  for await (const page of reads.plants.export(account)) yield* page.map(keptPlantBody);
}

const PAGE = 1000;

async function* eventLines({ reads, records }: Storage, account: AccountNumber): AsyncGenerator<string> {
  const until = await records.events.latest();
  for (let after = await reads.events.oldest(), more = true; more; ) {
    const page = await reads.events.read(account, { after, limit: PAGE, types: undefined, until });
    const doers = await reads.events.doers(account, page.events);
    yield* page.events.map((event, at) => eventBodyWithDoer(event, doers[at]));
    [after, more] = [page.next, page.more];
  }
}

async function* deliveryLines({ reads }: Storage, endpoint: string): AsyncGenerator<string> {
  for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const query = { before, limit: PAGE, status: undefined, type: undefined, event: undefined };
    const { deliveries, next } = await reads.webhooks.deliveries(endpoint, query);
    for (const delivery of deliveries) yield JSON.stringify(dated(delivery));
    before = next;
  }
}

async function* auditLines({ reads }: Storage, log: AuditLogKey): AsyncGenerator<string> {
  for (let before: string | undefined, more = true; more; ) {
    const found = await newestEntries(reads.audit, log, { limit: PAGE, ...(before === undefined ? {} : { before }) });
    for (const entry of found) yield JSON.stringify(ofStore<AuditRecord>(entry));
    before = found.at(-1)?.id;
    more = found.length === PAGE;
  }
}

/** The pages of an account are bounded by the size of its log. */
async function* requestLines({ reads }: Storage, account: AccountNumber): AsyncGenerator<string> {
  for (let before: string | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const { found, next } = await reads.requests.list(account, { limit: 200, ...(before && { before }) });
    for (const request of found) yield JSON.stringify({ ...requestRecord(request), excerpt: request.excerpt });
    before = next;
  }
}

/** Omits the store's number, which means nothing outside the database. */
function ofStore<Row extends object>(row: Row) {
  const { account: _, ...rest } = dated(row) as Row & { readonly account?: unknown };
  return rest;
}

function withoutHash<Row extends object>(row: Row) {
  const { hash: _, ...rest } = dated(row) as Row & { readonly hash?: unknown };
  return rest;
}

const IS_TIME = /^at$|At$|_at$/;

/** Renames members as in the interface and writes times as in RFC 3339. */
function dated<Row extends object>(row: Row): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      const shown = typeof value === "number" && IS_TIME.test(name) ? timestamp(value) : value;
      return [name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), shown];
    }),
  );
}
