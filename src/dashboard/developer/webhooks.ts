import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Webhook, WebhookDelivery } from "#contract/v1/webhooks.ts";
import type { Method, Service } from "../api/service.ts";
import type { ShownSecret } from "../components/secret-dialog.tsx";
import { useService } from "../program/page-context.tsx";

export type { Webhook, WebhookDelivery };

const KEY = ["webhooks"];
const RENEWED_MS = 5000;

export function useWebhooks() {
  const service = useService();
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (JSON.parse(await service.v1("GET", "/webhooks")) as { data: Webhook[] }).data,
    refetchInterval: RENEWED_MS,
  });
}

export function useDeliveries(id: string, status: string) {
  const service = useService();
  const query = new URLSearchParams({ limit: "50", ...(status ? { status } : {}) });
  return useQuery({
    queryKey: [...KEY, id, "deliveries", status],
    queryFn: async () => {
      const text = await service.v1("GET", `/webhooks/${id}/deliveries?${query}`);
      return (JSON.parse(text) as { data: WebhookDelivery[] }).data;
    },
    refetchInterval: RENEWED_MS,
  });
}

/** A change of an endpoint. A secret in the answer is only for the caller, and is not cached. */
export function useWebhookChange<Form, Answer>(change: (service: Service, form: Form) => Promise<Answer>) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (form: Form) => change(service, form),
    gcTime: 0,
    onSuccess: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}

export async function askWebhooks<Answer>(service: Service, method: Method, path: string, body?: unknown) {
  const text = await service.v1(method, `/webhooks${path}`, body);
  return (text === "" ? undefined : JSON.parse(text)) as Answer;
}

export function shownWebhookSecret(secret: string): ShownSecret {
  return {
    what: "signing secret",
    title: "Signing secret",
    warning:
      "Copy it now: it is not shown again. Your receiver verifies with it that a delivery comes from Plantstore.",
    values: [secret],
    file: { name: "plantstore-webhook.env", label: "Download .env", content: `PLANTSTORE_WEBHOOK_SECRET=${secret}\n` },
  };
}
