import { afterAll, beforeAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import type { Session } from "#core/session.ts";
import type { Storage } from "#storage/storage.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { openAuth } from "#test/support/auth-browser.ts";
import { CookieJar } from "#test/support/cookie-jar.ts";
import { addMember, type TestMember } from "#test/support/members.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { QUICK_HASH } from "#test/support/test-account.ts";
import { PASSWORD } from "#test/support/test-browser.ts";
import { describeRecords } from "#test/support/test-records.ts";
import type { AuthService } from "./auth-service.ts";
import { newTokenSecret } from "./token-service.ts";

const ROUNDS = 40;

describeRecords("at once on two nodes, on %s", (testRecords) => {
  let node: Storage;
  let [here, there] = [{} as AuthService, {} as AuthService];
  let owner: TestMember;
  // The units of work are to be at once, and passwords would wait for each other before them.
  beforeAll(async () => {
    spyOn(Bun.password, "hash").mockResolvedValue(QUICK_HASH);
    node = await testRecords.another();
  });
  beforeEach(async () => {
    [here, there] = [openAuth(testRecords.storage, { signup: "closed" }), openAuth(node, { signup: "closed" })];
    owner = await addMember(testRecords.storage);
  });
  afterAll(() => {
    spyOn(Bun.password, "hash").mockRestore();
    return node.records.close();
  });

  const { client } = new CookieJar();
  const sessionOf = ({ person, caller }: TestMember) =>
    ({
      id: caller.actor.id,
      person,
      caller: { ...caller, account: person.account },
      cookies: [],
      expiresAt: Date.now() + 60_000,
    }) as unknown as Session;
  const invited = async (email: string, by = owner) => {
    await testRecords.storage.db.deleteFrom("attempts").execute();
    const made = await here.invitations.make(by.caller, { email, role: "editor" });
    return { id: made.invitation.id, token: made.secret ?? "" };
  };
  const peopleOf = async ({ caller }: TestMember) =>
    (await testRecords.records.members.list(caller.account)).map(({ email }) => email);

  test(`an invitation is taken once by somebody known who takes it twice, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await addMember(testRecords.storage);
      const { token } = await invited(person.person.email);
      const outcomes = await Promise.all([
        refusalOf(here.signUps.join(client, sessionOf(person), { token })),
        refusalOf(there.signUps.join(client, sessionOf(person), { token })),
      ]);
      expect(outcomes.toSorted()).toEqual(["link-refused", undefined]);
      expect((await peopleOf(owner)).filter((email) => email === person.person.email)).toHaveLength(1);
      await testRecords.records.members.remove(owner.caller, person.person.id, false);
    }
  }, 60_000);

  test(`an invitation makes one account of somebody new who takes it twice, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const email = `${crypto.randomUUID()}@example.test`;
      const { token } = await invited(email);
      const outcomes = await Promise.all([
        refusalOf(here.signUps.join(client, undefined, { token, password: PASSWORD })),
        refusalOf(there.signUps.join(client, undefined, { token, password: PASSWORD })),
      ]);
      expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
      // The second one is told that the account is made already.
      expect(["link-refused", "account-exists"]).toContain(outcomes.find((outcome) => outcome !== undefined) ?? "");
      const person = await testRecords.records.people.find({ email });
      expect(await testRecords.records.members.storesOf({ id: person?.id ?? "" })).toMatchObject([
        { account: owner.caller.account, role: "editor" },
      ]);
      await testRecords.records.members.remove(owner.caller, person?.id ?? "", false);
    }
  }, 60_000);

  test(`an invitation that is taken while it is revoked is one or the other, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await addMember(testRecords.storage);
      const { token, id } = await invited(person.person.email);
      const [taken, revoked] = await Promise.all([
        refusalOf(here.signUps.join(client, sessionOf(person), { token })),
        refusalOf(there.invitations.revoke(owner.caller, id)),
      ]);
      expect([taken, revoked]).toEqual(
        taken === undefined ? [undefined, "resource-unknown"] : ["link-refused", undefined],
      );
      const belongs = (await peopleOf(owner)).includes(person.person.email);
      expect(belongs).toBe(taken === undefined);
      if (belongs) await testRecords.records.members.remove(owner.caller, person.person.id, false);
    }
  }, 60_000);

  test("one network looks up 120 invitations in a minute, good ones and others, and any other network its own", async () => {
    const token = "x".repeat(32);
    for (let at = 0; at < 60; at++) {
      expect(await refusalOf(here.invitations.find(client, token))).toBe("link-refused");
      expect(await refusalOf(here.signUps.join(client, undefined, { token, password: PASSWORD }))).toBe("link-refused");
    }
    const good = (await invited(`${crypto.randomUUID()}@example.test`)).token;
    const start = performance.now();
    const refused = [
      here.invitations.find(client, good),
      here.signUps.join(client, undefined, { token: good, password: PASSWORD }),
    ];
    expect(await Promise.all(refused.map(refusalOf))).toEqual(["rate-limited", "rate-limited"]);
    expect(performance.now() - start).toBeGreaterThan(900);
    const elsewhere = { ...client, address: "192.0.2.7" };
    expect(await refusalOf(here.invitations.find(elsewhere, good))).toBeUndefined();
  });

  describe("while somebody is removed,", () => {
    const remove = ({ person }: TestMember) => node.records.members.remove(owner.caller, person.id, true);

    test(`no token that they make then is left, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const member = await addMember(testRecords.storage, owner.caller.account, "developer");
        const token = { name: "Till", scopes: ["plants:read"], expiresAt: undefined } as const;
        const [made, removed] = await Promise.all([
          refusalOf(testRecords.records.tokens.add(member.caller, token, newTokenSecret())),
          refusalOf(remove(member)),
        ]);
        expect([undefined, "role-refused"]).toContain(made as undefined);
        expect(removed).toBeUndefined();
        const listed = (await testRecords.reads.tokens.list(owner.caller.account)).filter(
          ({ madeBy }) => madeBy === member.person.id,
        );
        expect(listed.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
      }
    }, 60_000);

    test(`an invitation to another store that they take is taken, ${ROUNDS} times`, async () => {
      const other = await addMember(testRecords.storage);
      for (let round = 0; round < ROUNDS; round++) {
        const member = await addMember(testRecords.storage, owner.caller.account, "editor");
        const { token } = await invited(member.person.email, other);
        const outcomes = await Promise.all([
          refusalOf(here.signUps.join(client, sessionOf(member), { token })),
          refusalOf(remove(member)),
        ]);
        expect(outcomes).toEqual([undefined, undefined]);
        const stores = await testRecords.records.members.storesOf(member.person);
        expect(stores.map(({ account }) => account)).toEqual([member.person.account, other.caller.account]);
        await testRecords.records.members.remove(other.caller, member.person.id, false);
      }
    }, 60_000);

    test(`a password that they change is changed, and they are removed, ${ROUNDS} times`, async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const member = await addMember(testRecords.storage, owner.caller.account, "editor");
        const outcomes = await Promise.all([
          refusalOf(here.changePassword(client, sessionOf(member), "seven orange garden gnomes", {})),
          refusalOf(remove(member)),
        ]);
        expect(outcomes).toEqual([undefined, undefined]);
        expect(await peopleOf(owner)).toEqual([owner.person.email]);
      }
    }, 60_000);
  });

  test("what a former owner invited cannot be taken, even while they are demoted", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [inviting, person] = [
        await addMember(testRecords.storage, owner.caller.account, "owner"),
        await addMember(testRecords.storage),
      ];
      const { token } = await invited(person.person.email, inviting);
      const demoted = node.records.members.changeRole(owner.caller, inviting.person.id, "viewer");
      const [taken] = await Promise.all([refusalOf(here.signUps.join(client, sessionOf(person), { token })), demoted]);
      expect([undefined, "link-refused"]).toContain(taken as undefined);
      expect((await peopleOf(owner)).includes(person.person.email)).toBe(taken === undefined);
      expect(await refusalOf(here.invitations.find(client, token))).toBe("link-refused");
      for (const { person: left } of [inviting, ...(taken === undefined ? [person] : [])]) {
        await testRecords.records.members.remove(owner.caller, left.id, false);
      }
    }
  }, 60_000);
});

describeRecords("invitations by mail, on %s", (testRecords) => {
  const verified = async () => {
    const owner = await addMember(testRecords.storage);
    const verify = testRecords.storage.db.updateTable("people").set({ email_verified: true });
    await verify.where("id", "=", owner.person.id).execute();
    const person = { ...owner.person, emailVerified: true };
    return { owner: { ...owner, person }, session: { person } as unknown as Session };
  };
  const auth = () => openAuth(testRecords.storage);
  const address = () => `${crypto.randomUUID()}@example.test`;

  test("go only from an owner whose own address is verified, and only where the service sends mail", async () => {
    const { owner, session } = await verified();
    const unverified = { person: { ...owner.person, emailVerified: false } } as unknown as Session;
    const invite = (service: AuthService, by: Session) =>
      service.invitations.mail(by, owner.caller, { email: address(), role: "viewer" });
    expect(await invite(auth(), session)).toMatchObject({ secret: undefined, invitation: { mailed: true } });
    const shown = { secret: expect.any(String), invitation: { mailed: false } };
    expect(await invite(auth(), unverified)).toMatchObject(shown);
    expect(await invite(openAuth(testRecords.storage, { mail: false }), session)).toMatchObject(shown);
  });

  test("count in the mail of who invites: five addresses of a day with their own, which is told still, and then the link is shown", async () => {
    const { owner, session } = await verified();
    const outcomes = [];
    for (let at = 0; at < 6; at++) {
      const made = await auth().invitations.mail(session, owner.caller, { email: address(), role: "viewer" });
      outcomes.push(made.invitation.mailed);
    }
    expect(outcomes).toEqual([true, true, true, true, false, false]);
    const { id: person, email: to } = owner.person;
    const recovery = { id: "", kind: "recover-password", person, to } as const;
    expect(await testRecords.storage.mail.allow(recovery, Date.now())).toBe(true);
  });

  test("verify the address of who takes them, and those whose link was shown do not", async () => {
    const { owner } = await verified();
    for (const mailed of [true, false]) {
      const email = address();
      const { invitation, secret = "" } = await auth().invitations.make(owner.caller, { email, role: "viewer" });
      const asMailed = testRecords.storage.db.updateTable("invitations").set({ mailed });
      await asMailed.where("id", "=", invitation.id).execute();
      const form = { token: secret, password: PASSWORD };
      const { person } = await auth().signUps.join(new CookieJar().client, undefined, form);
      expect(person.emailVerified).toBe(mailed);
    }
  });

  test("make an account without a store of its own, whatever SIGNUP says", async () => {
    const { owner } = await verified();
    const roles = async (signup: "open" | "closed") => {
      const made = await auth().invitations.make(owner.caller, { email: address(), role: "viewer" });
      const form = { token: made.secret ?? "", password: PASSWORD };
      const service = openAuth(testRecords.storage, { signup });
      const { person } = await service.signUps.join(new CookieJar().client, undefined, form);
      return (await testRecords.records.members.storesOf(person)).map(({ role }) => role);
    };
    for (const signup of ["closed", "open"] as const) expect(await roles(signup)).toEqual(["viewer"]);
  });

  test("of the operator are good though nobody of the store made them", async () => {
    const { owner } = await verified();
    const by = { ...TEST_SOURCE, account: owner.caller.account };
    const { secret = "" } = await auth().invitations.make(by, { email: address(), role: "owner" });
    expect(await auth().invitations.find(new CookieJar().client, secret)).toMatchObject({
      invitedBy: undefined,
      role: "owner",
    });
  });
});
