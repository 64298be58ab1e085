import { type Command, Option } from "commander";
import { timestamp } from "#contract/timestamp.ts";
import type { StoreCaller } from "#core/caller.ts";
import { comparedEmail } from "#core/email-address.ts";
import { type Member, personUnknown } from "#core/member.ts";
import type { MemberRecords } from "#core/records.ts";
import { ROLES, type Role } from "#core/role.ts";
import { asOperator, inStore } from "#server/operator/operator.ts";
import { command, group, STORE_OPTION, storeCommand } from "../command.ts";
import { printResult, printRows } from "../output.ts";

interface StoreOptions {
  readonly account: string;
  readonly json?: boolean | undefined;
}

interface PersonOptions extends StoreOptions {
  readonly email: string;
}

interface RoleOptions extends PersonOptions {
  readonly role: Role;
}

interface RemovalOptions extends PersonOptions {
  readonly revokeTokens?: boolean;
}

/** The people of a store, also of one without an owner. */
export function peopleCommand(): Command {
  return group(
    "people",
    "list, add, change and remove the people of a store",
    command(
      "list",
      "list who belongs to a store, or everybody who has an account, also those who belong to none",
      "plantstore account people list --account grower@example.com",
    )
      .option("--account <account>", STORE_OPTION)
      .action(({ account, json }: Partial<StoreOptions>) =>
        account === undefined ? listEverybody(json) : listMembers({ account, json }),
      ),
    aboutPerson(
      "add",
      "add somebody who has an account to a store",
      "plantstore account people add --account grower@example.com --email rosa@example.com --role owner",
    )
      .addOption(roleOption())
      .action(async ({ account, email, role, json }: RoleOptions) => {
        await inStore(account, async ({ accounts, records }, caller) =>
          records.members.add(caller, await accounts.requirePerson(email), role),
        );
        printResult(json, { email, role }, `${email}  ${role}`);
      }),
    aboutPerson(
      "role",
      "change somebody's role in a store; their open pages of it are loaded anew",
      "plantstore account people role --account grower@example.com --email rosa@example.com --role viewer",
    )
      .addOption(roleOption())
      .action(async ({ account, email, role, json }: RoleOptions) => {
        await inStore(account, async ({ records: { members } }, caller) =>
          members.changeRole(caller, await memberId(members, caller, email), role),
        );
        printResult(json, { email, role }, `${email}  ${role}`);
      }),
    aboutPerson(
      "remove",
      "remove somebody from a store; their account and what they made stay",
      "plantstore account people remove --account grower@example.com --email rosa@example.com",
    )
      .option("--revoke-tokens", "revoke the tokens that they made in the store as well")
      .action(async ({ account, email, revokeTokens = false, json }: RemovalOptions) => {
        await inStore(account, async ({ records: { members } }, caller) =>
          members.remove(caller, await memberId(members, caller, email), revokeTokens),
        );
        printResult(json, { email, removed: true }, `${email}  removed`);
      }),
  );
}

async function listMembers({ account, json }: StoreOptions): Promise<void> {
  const members = await inStore(account, ({ records }, caller) => records.members.list(caller.account));
  const rows = members.map(({ id, name, email, role, joinedAt }) => {
    return { id, name, email, role, joined_at: timestamp(joinedAt) };
  });
  printRows(json, rows, {
    "E-MAIL": (row) => row.email,
    ROLE: (row) => row.role,
    JOINED: (row) => row.joined_at,
    ID: (row) => row.id,
  });
}

async function listEverybody(json: boolean | undefined): Promise<void> {
  const people = await asOperator(({ reads }) => reads.people.list());
  printRows(json, people, {
    "E-MAIL": (row) => row.email,
    STORES: (row) => String(row.stores),
    ID: (row) => row.id,
  });
}

export function inviteCommand(): Command {
  return aboutPerson(
    "invite",
    "invite somebody to a store; prints the link, which works once, for seven days",
    "plantstore account invite --account grower@example.com --email rosa@example.com --role editor",
  )
    .addOption(roleOption())
    .action(async ({ account, email, role, json }: RoleOptions) => {
      const invited = await inStore(account, ({ invite }, caller) => invite(caller, { email, role }));
      printResult(json, { email, role, ...invited }, invited.link);
    });
}

function aboutPerson(...words: Parameters<typeof storeCommand>): Command {
  return storeCommand(...words).requiredOption("--email <email>", "the person's e-mail address");
}

function roleOption(): Option {
  return new Option("--role <role>", "what the person may do").choices(ROLES).makeOptionMandatory();
}

/** Rejects with "resource-unknown" if nobody with the address belongs to the store. */
async function memberId(members: MemberRecords, { account }: StoreCaller, email: string): Promise<string> {
  const address = comparedEmail(email);
  const isMeant = (member: Member) => member.email === address;
  const member = (await members.list(account)).find(isMeant);
  if (!member) throw personUnknown(`the address ${email}`);
  return member.id;
}
