import type { Example } from "../text/request-examples.ts";

/** Whole programs that take webhooks: each verifies the signature, and skips an event that it has seen. */
export const RECEIVERS: readonly Example[] = [
  {
    language: "TypeScript",
    code: `import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "");
const seen = new Set<string>();

const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  try {
    webhook.verify(body, request.headers as Record<string, string>);
  } catch {
    response.writeHead(401).end();
    return;
  }
  const event = JSON.parse(body);
  if (!seen.has(event.id)) console.log(event.type, event.data.plant_id);
  seen.add(event.id);
  response.writeHead(204).end();
});
server.listen(Number(process.env.PORT ?? 4000), "127.0.0.1", () => {
  console.log("listening on", server.address());
});`,
  },
  {
    language: "Python",
    code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()


def is_signed(headers, body):
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdigit() or abs(time.time() - int(stamp)) > 300:
        return False
    signed = f"{headers.get('webhook-id')}.{stamp}.".encode() + body
    digest = hmac.new(KEY, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(expected, each) for each in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if is_signed(self.headers, body):
            event = json.loads(body)
            if event["id"] not in seen:
                print(event["type"], event["data"].get("plant_id"), flush=True)
            seen.add(event["id"])
            self.send_response(204)
        else:
            self.send_response(401)
        self.end_headers()


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", 4000))), Receiver)
print("listening on", server.server_address, flush=True)
server.serve_forever()`,
  },
  {
    language: "Go",
    code: `package main

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

var key, _ = base64.StdEncoding.DecodeString(
	strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
var seen sync.Map

func isSigned(headers http.Header, body []byte) bool {
	stamp := headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", headers.Get("webhook-id"), stamp, body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Fields(headers.Get("webhook-signature")) {
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true
		}
	}
	return false
}

func receive(answer http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, 1<<20))
	var event struct {
		ID, Type string
		Data     map[string]any
	}
	if err != nil || !isSigned(request.Header, body) || json.Unmarshal(body, &event) != nil {
		answer.WriteHeader(http.StatusUnauthorized)
		return
	}
	if _, again := seen.LoadOrStore(event.ID, true); !again {
		fmt.Println(event.Type, event.Data["plant_id"])
	}
	answer.WriteHeader(http.StatusNoContent)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+cmp.Or(os.Getenv("PORT"), "4000"))
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on", listener.Addr())
	panic(http.Serve(listener, http.HandlerFunc(receive)))
}`,
  },
];
