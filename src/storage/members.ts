import { sql } from "kysely";
import type { Membership } from "#core/member.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { MemberRecords } from "#core/records.ts";
import type { Role } from "#core/role.ts";
import type { Queries } from "./database-access.ts";

interface MembershipRow {
  readonly number: AccountNumber;
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly test: boolean | number | null;
  readonly second_factor_required: boolean | number | null;
}

export function memberRecords(db: Queries): MemberRecords {
  const storesOf = async ({ id }: Pick<Person, "id">, storeId?: string): Promise<Membership[]> => {
    const that = storeId === undefined ? sql`` : sql`AND store.id = ${storeId}`;
    const columns = sql`store.number, store.id, coalesce(store.store_name, store.name) AS name, store.test,
      store.second_factor_required`;
    const { rows } = await sql<MembershipRow>`
      SELECT ${columns}, coalesce(member.role, 'owner') AS role, 0 AS joined_at
      FROM accounts AS store LEFT JOIN members AS member ON member.account = store.number AND member.user_id = ${id}
      WHERE store.id = ${id} AND coalesce(member.role, 'owner') <> 'none' ${that}
      UNION ALL
      SELECT ${columns}, member.role, member.created_at AS joined_at
      FROM members AS member JOIN accounts AS store ON store.number = member.account
      WHERE member.user_id = ${id} AND store.id <> ${id} AND member.role <> 'none' ${that}
      ORDER BY joined_at, number`.execute(db as never);
    return rows.map(({ number, id, name, role, test, second_factor_required }) => {
      return {
        account: number,
        id,
        name,
        role,
        isTest: Boolean(test),
        needsSecondFactor: Boolean(second_factor_required),
      };
    });
  };
  return {
    storesOf: (person) => storesOf(person),
    find: async (person, storeId) => (await storesOf(person, storeId))[0],
  };
}
