import json
import os

from openapi_client import ApiClient, ApiException, Configuration, Error, NewPlant, PlantsApi


def plants_with(token: str) -> PlantsApi:
    return PlantsApi(ApiClient(Configuration(host=os.environ["PLANTSTORE_URL"], access_token=token)))


def error_of(call) -> int:
    try:
        call()
        return 0
    except ApiException as refusal:
        return Error.from_json(refusal.body).error


plants = plants_with(os.environ["PLANTSTORE_TOKEN"])
plants.create_plant(NewPlant(id=9007199254740993, name="Monstera deliciosa", tag="indoor"))
kept = plants.get_plant(9007199254740993)
print(kept.id, kept.name, kept.created_at)

for other in (1, 2):
    plants.create_plant(NewPlant(id=other, name="Fern"))
pages, cursor = [], None
while True:
    page = plants.list_plants(limit=2, cursor=cursor)
    pages.append(len(page.data))
    cursor = page.next_cursor
    if cursor is None:
        break

errors = [
    error_of(lambda: plants.list_plants(cursor="no-cursor")),
    error_of(lambda: plants_with("plant_wrong").get_plant(1)),
    error_of(lambda: plants.get_plant(404)),
    error_of(lambda: plants.create_plant(NewPlant(id=1, name="Ficus"))),
]
print(json.dumps({"id": str(kept.id), "pages": pages, "errors": errors}))
