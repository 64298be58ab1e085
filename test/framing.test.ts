import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { PLANT, RawClient } from "./support/raw-client.ts";
import { exchange } from "./support/raw-connection.ts";
import { chunked, rawRequest } from "./support/raw-request.ts";

const OTHER = '{"id":6,"name":"Ficus"}';

const client = await RawClient.start();
afterEach(() => client.expectServing());
afterAll(() => client.service.stop());

describe("a length that can be read in two ways (RFC 9112, 6.3) is refused, and neither way is carried out", () => {
  const body = chunked(OTHER, 10);
  const length = `Content-Length: ${OTHER.length}`;
  test.each([
    ["both a length and chunks", [length, "Transfer-Encoding: chunked"], body],
    ["chunks and a length", ["Transfer-Encoding: chunked", "Content-Length: 5"], body],
    ["two lengths", [length, "Content-Length: 3"], OTHER],
    ["a list of lengths", [`${length}, ${OTHER.length}`], OTHER],
    ["a length with a plus", [`Content-Length: +${OTHER.length}`], OTHER],
    ["a negative length", ["Content-Length: -1"], OTHER],
    ["a length in hexadecimal", ["Content-Length: 0x17"], OTHER],
    ["a length with a space", ["Content-Length: 2 3"], OTHER],
    ["a length past 64 bits", ["Content-Length: 99999999999999999999999"], OTHER],
    ["chunks twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], body],
    ["chunks that are not last", ["Transfer-Encoding: chunked, gzip"], body],
    ["gzip and chunks", ["Transfer-Encoding: gzip, chunked"], body],
    ["identity", ["Transfer-Encoding: identity"], OTHER],
    ["chunks of another name", ["Transfer-Encoding: xchunked"], body],
    ["chunks with a space before the colon", ["Transfer-Encoding : chunked"], body],
    ["chunks with a vertical tab", ["Transfer-Encoding: \x0bchunked"], body],
    ["a chunk size that is none", ["Transfer-Encoding: chunked"], `zz\r\n${OTHER}\r\n0\r\n\r\n`],
    ["a negative chunk size", ["Transfer-Encoding: chunked"], `-17\r\n${OTHER}\r\n0\r\n\r\n`],
    ["a chunk size past 64 bits", ["Transfer-Encoding: chunked"], `fffffffffffffffff\r\n${OTHER}\r\n0\r\n\r\n`],
    ["a chunk longer than its size", ["Transfer-Encoding: chunked"], `5\r\n${OTHER}\r\n0\r\n\r\n`],
  ])("%s", async (_, headers, bytes) => {
    const hidden = rawRequest({ method: "POST", headers: [client.authorization], body: '{"id":7,"name":"hidden"}' });
    const first = rawRequest({ headers: [client.authorization, ...headers], body: bytes });
    const answers = await exchange(client.service.url, Buffer.concat([first, hidden]), 2);
    expect(answers.map(({ status }) => status)).toEqual([400]);
    expect(await client.holds(6)).toBe(false);
    expect(await client.holds(7)).toBe(false);
  });

  test("but the same length twice is one length", async () => {
    const twice = [`Content-Length: ${PLANT.length}`, `Content-Length: ${PLANT.length}`];
    expect((await client.create({ headers: twice })).status).toBe(200);
  });
});
