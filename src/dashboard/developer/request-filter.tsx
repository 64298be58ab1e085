import { Group, Switch } from "@mantine/core";
import { type AddressChange, useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { Chip, SearchField, Segments } from "../components/filters.tsx";
import { exactTime } from "../components/relative-time.tsx";
import { capitalized } from "../text/sentence.ts";
import { TokenFilter } from "./tokens.tsx";

export const ERROR_STATUSES = "4xx,5xx";

/** The filter of the list. It is part of the address, under the names that the service uses. */
const FILTERS = ["status", "error", "token", "path", "plant", "request_id", "source", "from", "to"] as const;
type RequestFilter = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

const NONE: AddressChange = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

export function useRequestFilter() {
  const [search, change] = useAddress();
  const filter: RequestFilter = Object.fromEntries(
    FILTERS.flatMap((name) => (search.get(name) ? [[name, search.get(name) ?? ""]] : [])),
  );
  return { filter, change, clear: () => change(NONE) };
}

/** Reads the search field: a request id, a plant's id, or the beginning of a path. */
function searchedFor(text = ""): AddressChange {
  const typed = text.trim();
  const nothing = { request_id: undefined, plant: undefined, path: undefined };
  if (typed === "") return nothing;
  if (typed.startsWith("req_")) return { ...nothing, request_id: typed };
  if (/^-?\d+$/.test(typed)) return { ...nothing, plant: typed };
  return { ...nothing, path: typed.startsWith("/") ? typed : `/${typed}` };
}

function searchText({ request_id, plant, path }: AddressChange): string {
  return request_id ?? plant ?? path ?? "";
}

const STATUSES = { "": "All", "2xx": "2xx", "4xx": "4xx", "5xx": "5xx", [ERROR_STATUSES]: "Errors" };

/** The controls of the filter, and what of it has none, to be taken away. */
export function RequestFilters({ filter, change, clear }: ReturnType<typeof useRequestFilter>) {
  const { status = "", error, from, to } = filter;
  const named = status in STATUSES;
  return (
    <>
      <Group gap="sm">
        <SearchField
          label="Search by request id, plant id or path"
          placeholder="Request id, plant id or path"
          value={searchText(filter)}
          shownAs={(text) => searchText(searchedFor(text))}
          onSearch={(text) => change(searchedFor(text))}
        />
        <TokenFilter value={filter.token ?? ""} onChange={(token) => change({ token })} flex="1 1 140px" />
        <Segments
          label="Status"
          choices={STATUSES}
          value={named ? status : ""}
          onChange={(chosen) => change({ status: chosen })}
        />
      </Group>
      <Group gap="xs">
        <Switch
          label="The dashboard's own requests"
          checked={filter.source === "dashboard"}
          onChange={({ currentTarget }) => change({ source: currentTarget.checked ? "dashboard" : undefined })}
        />
        {error && <Chip text={`Error ${error}`} onRemove={() => change({ error: undefined })} />}
        {!named && <Chip text={`Status ${status}`} onRemove={() => change({ status: undefined })} />}
        {(from || to) && <Chip text={timeText(filter)} onRemove={() => change({ from: undefined, to: undefined })} />}
        {Object.keys(filter).length > 1 && (
          <Action kind="quiet" size="compact-sm" label="Clear all filters" onClick={clear} />
        )}
      </Group>
    </>
  );
}

/** A text such as "From 10 Mar 2026 to 11 Mar 2026". A malformed time in the address is shown unchanged. */
function timeText({ from, to }: RequestFilter): string {
  const shown = (at: string) => (Number.isNaN(Date.parse(at)) ? at : exactTime(at));
  return capitalized([from && `from ${shown(from)}`, to && `to ${shown(to)}`].filter(Boolean).join(" "));
}
