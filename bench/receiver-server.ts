/** A receiver of webhooks that counts the events it is told of, each once; GET answers how many there were. */
const seen = new Set<string>();
const receiver = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    if (request.method === "GET") return new Response(String(seen.size));
    seen.add(request.headers.get("webhook-id") ?? "");
    return new Response(null, { status: 204 });
  },
});
console.log(`listening on http://127.0.0.1:${receiver.port}`);

export {};
