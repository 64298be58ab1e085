"""Writes and reads every hard plant of plants.json with a running service, sync and async."""

import asyncio
import json
import os
import sys

from plantstore import AsyncPlantstore, NewPlant, Plantstore, PlantstoreError

url, token = os.environ["PLANTSTORE_URL"], os.environ["PLANTSTORE_TOKEN"]
with open(sys.argv[1], encoding="utf-8") as file:
    plants = sorted((NewPlant(int(each["id"]), each["name"], each.get("tag")) for each in json.load(file)), key=lambda p: p.id)


def members(plant):
    return NewPlant(plant.id, plant.name, plant.tag)


with Plantstore(url, token, application="tests/1") as store:
    told = []
    assert store.import_plants(plants, on_progress=told.append).created == len(plants) == told[-1].lines
    assert all(store.create(plant.id, plant.name, plant.tag).replayed for plant in plants)
    assert [members(store.get(plant.id)) for plant in plants] == plants
    assert [members(plant) for plant in store.list(page_size=5)] == plants
    assert [members(plant) for plant in store.export()] == plants
    for format in ("csv", "ndjson"):
        again = store.import_file(store.export_file(format), format)
        assert (again.created, again.unchanged, again.failed) == (0, len(plants), 0), again
    etag = store.get(1).etag
    assert store.change(1, name="Changed", if_match=etag).name == "Changed"
    try:
        store.remove(1, if_match=etag)
        raise AssertionError("A plant of another version was removed")
    except PlantstoreError as refused:
        assert refused.error == 41201 and refused.request_id
    store.remove(1)
    cursor = store.event_page(types=["plant.removed"]).next_cursor
    store.create(1, "Again")
    assert next(store.events(cursor=cursor)).plant_id == 1


async def read_all():
    async with AsyncPlantstore(url, token) as store:
        exported = [members(plant) async for plant in store.export()]
        again = await store.import_file(store.export_file("csv"), "csv")
        assert (again.unchanged, again.failed) == (len(plants), 0), again
        return exported


assert [plant for plant in asyncio.run(read_all()) if plant.id != 1] == [plant for plant in plants if plant.id != 1]
print("exact")
