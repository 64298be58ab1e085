"""Runs the calls that standard input lists with the client, sync or async by the first argument, and prints what came of each."""

import asyncio
import json
import sys
from dataclasses import asdict
from datetime import datetime

import plantstore
from plantstore import (
    UNCHANGED,
    AsyncPlantstore,
    NewPlant,
    Plant,
    Plantstore,
    PlantstoreError,
    PlantstoreUnreachable,
    PlantUpdate,
)


def new_plant(plant):
    return NewPlant(int(plant["id"]), plant["name"], plant.get("tag"))


def plant_to_remove(plant):
    now = datetime.now()
    return int(plant) if isinstance(plant, str) else Plant(int(plant["id"]), "", None, now, now, plant["etag"])


def as_case(value):
    """A record in the words of the cases: ids as text, no member without a value, no time."""
    if isinstance(value, (list, tuple)):
        return [as_case(each) for each in value]
    if isinstance(value, plantstore.Plant):
        members = {"id": str(value.id), "name": value.name, "tag": value.tag, "etag": value.etag}
        return {key: member for key, member in members.items() if member is not None}
    if isinstance(value, plantstore.PutPlant):
        return {"plant": as_case(value.plant), "etag": value.etag, "created": value.created, "replayed": value.replayed}
    if isinstance(value, plantstore.Token):
        store = value.store
        return {"name": value.name, "scopes": list(value.scopes), "store": {"id": store.id, "test": store.test}}
    if isinstance(value, plantstore.CreatedPlant):
        return {key: member for key, member in asdict(value).items() if member is not None}
    if isinstance(value, plantstore.Event):
        return {"id": value.id, "type": value.type, "plantId": str(value.plant_id), "previous": value.previous}
    if isinstance(value, plantstore.EventPage):
        return {"events": as_case(value.events), "nextCursor": value.next_cursor, "hasMore": value.has_more}
    return value if value is None else asdict(value)


def start(store, call):
    [(name, given)] = call.items()
    match name:
        case "create":
            plant = new_plant(given)
            return store.create(plant.id, plant.name, plant.tag)
        case "get":
            return store.get(int(given["id"]))
        case "list":
            ids = {"ids": map(int, given["ids"])} if "ids" in given else {}
            return store.list(**{**given, **ids})
        case "change":
            change = {"name": UNCHANGED, "tag": UNCHANGED, **given["change"]}
            return store.change(int(given["id"]), **change, if_match=given.get("ifMatch"))
        case "put":
            plant = new_plant(given)
            conditions = {"if_match": given.get("ifMatch"), "if_none_match": given.get("ifNoneMatch")}
            return store.put(plant.id, plant.name, plant.tag, **conditions)
        case "token":
            return store.token()
        case "remove":
            return store.remove(int(given["id"]), if_match=given.get("ifMatch"), missing_ok=given.get("missingOk", False))
        case "removeMany":
            return store.remove_many(map(plant_to_remove, given["plants"]), dry_run=given["dryRun"])
        case "importPlants":
            return store.import_plants(map(new_plant, given))
        case "updatePlants":
            updates = (PlantUpdate(**{**each, "id": int(each["id"])}) for each in given["plants"])
            return store.import_plants(updates, existing="update", dry_run=given["dryRun"])
        case "importFile":
            # In parts of one byte, so that every cut is tried.
            return store.import_file((bytes([byte]) for byte in given["text"].encode()), given["format"])
        case "export":
            return store.export()
        case "events":
            return store.events(**given)
        case "history":
            query = {"page_size" if name == "pageSize" else name: value for name, value in given["query"].items()}
            return store.history(int(given["id"]), **query)
        case "eventPage":
            return store.event_page(**given)
    raise ValueError(name)


def verified(given):
    return plantstore.verify_webhook(given["body"].encode(), given["headers"], given["secrets"], now=given["now"])


def of_items(source, items):
    """The items of an iterator, with the cursor of an export."""
    return {"plants": as_case(items), "cursor": source.cursor} if hasattr(source, "cursor") else as_case(items)


def outcome_of(error):
    if isinstance(error, PlantstoreError):
        return {"refused": error.error, "code": error.code, "message": str(error), "inDoubt": error.in_doubt}
    if isinstance(error, PlantstoreUnreachable):
        return {"unreachable": error.reason}
    return {"misused": str(error)} if isinstance(error, ValueError) else {"unverified": True}


ERRORS = (PlantstoreError, PlantstoreUnreachable, plantstore.WebhookVerificationError, ValueError)


def run(case):
    try:
        if "verifyWebhook" in case["call"]:
            return as_case(verified(case["call"]["verifyWebhook"]))
        with Plantstore(case["url"], case["token"]) as store:
            result = start(store, case["call"])
            return of_items(result, list(result)) if hasattr(result, "__next__") else as_case(result)
    except ERRORS as error:
        return outcome_of(error)


async def run_async(case):
    try:
        if "verifyWebhook" in case["call"]:
            return as_case(verified(case["call"]["verifyWebhook"]))
        async with AsyncPlantstore(case["url"], case["token"]) as store:
            result = start(store, case["call"])
            if hasattr(result, "__anext__"):
                return of_items(result, [each async for each in result])
            return as_case(await result)
    except ERRORS as error:
        return outcome_of(error)


cases = json.load(sys.stdin)
print(json.dumps([asyncio.run(run_async(case)) if sys.argv[1] == "async" else run(case) for case in cases]))
