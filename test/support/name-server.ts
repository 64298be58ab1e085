import { createSocket } from "node:dgram";

/** The type of a record with an IPv4 address (RFC 1035, 3.2.2). */
const A = 1;
const HEAD_BYTES = 12;

/** A name server on the loopback (RFC 1035). Where `addressOf` gives undefined it does not answer. */
export async function startNameServer(addressOf: (name: string) => string | undefined) {
  const socket = createSocket("udp4");
  socket.on("message", (question, from) => {
    const { name, end } = nameIn(question);
    const address = addressOf(name);
    if (address === undefined) return;
    const isKnown = question.readUInt16BE(end) === A;
    const head = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, Number(isKnown), 0, 0, 0, 0]);
    // The name by its place, the type, the class, the time to live, the length, the address.
    const record = [0xc0, HEAD_BYTES, 0, A, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)];
    const answer = [head, question.subarray(HEAD_BYTES, end + 4), Buffer.from(isKnown ? record : [])];
    socket.send(Buffer.concat(answer), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  return { address: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}

function nameIn(question: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join("."), end: at + 1 };
}
