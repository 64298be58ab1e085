import { describe, expect, test } from "bun:test";
import { withServedApp } from "#test/support/served-app.ts";

const service = withServedApp();

const plants = (...args: string[]) => service.run("plants", ...args);

describe("`plants add`", () => {
  test("takes id, name and tag with or without the names of their options, in any mixture", async () => {
    const ways = [
      ["1", "Aloe", "green"],
      ["--id=2", "Aloe", "green"],
      ["--name", "Aloe", "3", "green"],
      ["--tag=green", "4", "Aloe"],
      ["--tag=green", "--name=Aloe", "--id=5"],
    ];
    for (const [index, way] of ways.entries()) {
      expect(await plants("add", ...way)).toEqual({ code: 0, out: `${index + 1}  Aloe\n`, problem: "" });
    }
    expect((await plants("list", "--tag", "green")).out.trim().split("\n")).toHaveLength(ways.length);
  });

  test("keeps the empty name and the empty tag, which are none the less given", async () => {
    expect(await service.json("plants", "add", "--id=1", "--name=", "--tag=")).toMatchObject({ name: "", tag: "" });
    expect(await service.json("plants", "get", "1")).toMatchObject({ name: "", tag: "" });
  });

  test("says that a plant was there already, and fails for another one with its id", async () => {
    await plants("add", "1", "Aloe");
    expect((await plants("add", "1", "Aloe")).out).toBe("1  Aloe  was there already\n");
    expect(await service.json("plants", "add", "1", "Aloe")).toMatchObject({ replayed: true });
    const taken = await plants("add", "1", "Moss");
    expect([taken.code, taken.out, taken.problem]).toEqual([
      1,
      "",
      expect.stringMatching(/\(40901, request req_\w+\)\n$/),
    ]);
  });

  test("of a token that may not write names the scope, and not the token", async () => {
    const token = await service.app.token(await service.app.account(), { scopes: ["plants:read"] });
    const { code, problem } = await plants("add", "1", "Aloe", "--token", token);
    expect([code, problem]).toEqual([1, expect.stringContaining("plants:write")]);
    expect(problem).not.toContain(token);
  });
});

describe("`plants history` and `plants restore`", () => {
  test("show what changed, newest first, and bring back what was removed as it was", async () => {
    await plants("add", "--id=-5", "--name=Fern");
    await plants("edit", "--id=-5", "--tag", "shade");
    await plants("edit", "--id=-5", "--name", "Moss", "--no-tag");
    await plants("remove", "--id=-5");
    const { out } = await plants("history", "--id=-5");
    expect(out.replaceAll(/^\S+Z {2}/gm, "").split("\n")).toEqual([
      'removed  "Moss"',
      'changed  name: "Fern" → "Moss", tag: "shade" → none',
      'changed  tag: none → "shade"',
      'created  "Fern"',
      "",
    ]);
    expect(await plants("restore", "--id=-5")).toEqual({ code: 0, out: "-5  Moss\n", problem: "" });
    expect((await plants("restore", "--id=-5")).out).toBe("-5  Moss  was there already\n");
    const last = await plants("history", "--id=-5", "--limit", "1");
    expect([last.out, last.problem]).toEqual([
      expect.stringContaining("created"),
      expect.stringContaining("There are more"),
    ]);
    const all = await service.json("plants", "history", "--id=-5", "--all");
    expect((all as unknown[])[0]).toMatchObject({ type: "plant.created", plant_id: "-5", name: "Moss" });
  });

  test("name what cannot be brought back, and go on with the rest", async () => {
    for (const id of ["1", "2"]) await plants("add", id, "Aloe");
    for (const id of ["1", "2"]) await plants("remove", id);
    await plants("add", "1", "another");
    const { code, out, problem } = await plants("restore", "1", "7", "2");
    expect([code, out]).toEqual([1, "2  Aloe\n"]);
    expect(problem).toMatch(/^1 {2}The id 1 is taken by a plant with another name or tag/);
    expect(problem).toContain("7  No removal of it is kept");
    expect(problem).toContain("2 plants could not be restored");
    const asJson = await plants("restore", "7", "1", "--json");
    const message = "2 plants could not be restored; 7: No removal of it is kept, so nothing says what it was";
    expect([asJson.code, asJson.out, JSON.parse(asJson.problem)]).toEqual([1, "", { error: 1, message }]);
    const some = await plants("restore", "1", "2", "--json");
    expect(JSON.parse(some.out)).toEqual([{ id: 2, name: "Aloe", replayed: true }]);
    expect(JSON.parse(some.problem)).toMatchObject({ error: 40901 });
    expect((await plants("history", "8")).problem).toContain("Nothing that is kept happened to it");
    expect((await plants("restore", "x")).code).toBe(2);
  });
});

describe("`plants edit`", () => {
  test("takes a tag away, and leaves what is not named", async () => {
    await plants("add", "1", "Aloe", "green");
    expect((await plants("edit", "1", "--no-tag")).out).toStartWith("1  Aloe    20");
    expect(await service.json("plants", "get", "1")).not.toHaveProperty("tag");
  });

  test("says only that it is done where the token may not read what it made", async () => {
    const { app } = service;
    const account = await app.account();
    const token = await app.token(account, { scopes: ["plants:write"] });
    await plants("add", "1", "Aloe", "--token", token);
    expect((await plants("edit", "1", "--name", "Moss", "--token", token)).out).toBe("1  changed\n");
    expect((await plants("edit", "1", "--tag", "t", "--token", token, "--json")).out).toBe(
      '{\n  "id": 1,\n  "changed": true\n}\n',
    );
  });
});

describe("`plants list`", () => {
  test("says on standard error that there are more, and nothing when there are none", async () => {
    for (const id of ["1", "2", "3"]) await plants("add", id, "Aloe");
    const two = await plants("list", "--limit", "2");
    expect([two.out.split("\n").length - 1, two.problem]).toEqual([2, "There are more; --limit and --all show them\n"]);
    for (const args of [["--limit", "3"], ["--all"], []]) expect((await plants("list", ...args)).problem).toBe("");
    const listed = await service.json<object[]>("plants", "list", "--limit", "1");
    expect(listed).toEqual([expect.objectContaining({ id: 1, plant_id: "1", name: "Aloe" })]);
  });

  test("of an empty store is nothing, and for a program an empty array", async () => {
    expect(await plants("list")).toEqual({ code: 0, out: "", problem: "" });
    expect(await service.json<unknown>("plants", "list")).toEqual([]);
  });
});

describe("a command of the API", () => {
  test("fails with 1, one line and no stack where a stranger answers, and where the token is wrong", async () => {
    const stranger = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("<html>\u001b[2J") });
    const secret = "plant_wrongwrongwrongwrongwrongwrongwron";
    for (const [url, said] of [
      [stranger.url.origin, "as no Plantstore does"],
      [service.url, "40102"],
    ] as const) {
      const { code, out, problem } = await plants("get", "1", "--url", url, "--token", secret);
      expect([code, out, problem]).toEqual([1, "", expect.stringContaining(said)]);
      expect(problem).toMatch(/^plantstore: [^\n]*\n$/);
      expect(problem).not.toContain(secret);
      expect(problem).not.toContain("\u001b");
    }
    await stranger.stop(true);
  });
});

describe("`plants put`", () => {
  test("adds, replaces, and says so; only new ones, or one version, where that is asked for", async () => {
    const said = async (...args: string[]) => (await plants("put", ...args)).out;
    expect(await said("9007199254740993", "Aloe", "green")).toBe("9007199254740993  Aloe  created\n");
    expect(await said("9007199254740993", "Aloe", "--tag", "green")).toBe(
      "9007199254740993  Aloe  was there already\n",
    );
    expect(await said("9007199254740993", "--name=Moss")).toBe("9007199254740993  Moss  replaced\n");
    expect((await plants("put", "--id=9007199254740993", "Ivy", "--only-new")).problem).toContain("41201");
    const { etag } = await service.json<{ etag: string }>("plants", "put", "--id=-5", "--name", "Ivy");
    expect((await plants("put", "--id=-5", "Fern", "--if-match", etag)).code).toBe(0);
    expect((await plants("put", "--id=-5", "Ivy", "--if-match", etag)).problem).toContain("41201");
  });
});

describe("`plants get` and `plants remove` of several", () => {
  test("show those that there are, and name the others", async () => {
    for (const id of ["1", "2", "3"]) await plants("add", id, `Aloe ${id}`);
    const { code, out, problem } = await plants("get", "3", "1", "3", "--id=-7");
    expect([code, out.split("\n").map((line) => line.slice(0, 9))]).toEqual([1, ["3  Aloe 3", "1  Aloe 1", ""]]);
    expect(problem).toBe("plantstore: There is no plant with the id -7\n");
    expect(await service.json<{ id: number }[]>("plants", "get", "2", "1")).toMatchObject([{ id: 2 }, { id: 1 }]);
  });

  test("remove them by one request, after a dry run that removes none", async () => {
    for (const id of ["1", "2"]) await plants("add", id, "Aloe");
    expect((await plants("remove", "1", "2", "7", "--dry-run")).out).toBe(
      "It would be: 2 removed, 1 not there, 0 refused. Nothing was removed\n",
    );
    expect(await service.json("plants", "remove", "1", "2", "7")).toEqual({
      removed: 2,
      missing: 1,
      failed: 0,
      errors: [],
    });
    for (const args of [[], ["1", "--from", "x"], ["1", "2", "--if-match", "x"]])
      expect((await plants("remove", ...args)).code).toBe(2);
  });
});
