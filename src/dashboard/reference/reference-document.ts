import type { Service } from "../api/service.ts";
import type { OpenApiDocument } from "./openapi.ts";

/** The document that the service publishes. It stays the same for as long as the page does. */
export function referenceQuery(service: Service) {
  return {
    queryKey: ["openapi"],
    queryFn: () => service.request<OpenApiDocument>("GET", "/openapi.json"),
    staleTime: Number.POSITIVE_INFINITY,
  };
}
