import json
import os

from plantstore_client import AuthenticatedClient
from plantstore_client.api.plants import create_plant, get_plant, list_plants
from plantstore_client.models import Error, NewPlant


def client_with(token: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ["PLANTSTORE_URL"], token=token)


client = client_with(os.environ["PLANTSTORE_TOKEN"])
create_plant.sync(client=client, body=NewPlant(id=9007199254740993, name="Monstera deliciosa", tag="indoor"))
kept = get_plant.sync(9007199254740993, client=client)
if isinstance(kept, Error):
    raise RuntimeError(f"{kept.error}: {kept.message}")
print(kept.id, kept.name, kept.created_at)

for other in (1, 2):
    create_plant.sync(client=client, body=NewPlant(id=other, name="Fern"))
pages = []
page = list_plants.sync(client=client, limit=2)
while True:
    pages.append(len(page.data))
    if page.next_cursor is None:
        break
    page = list_plants.sync(client=client, limit=2, cursor=page.next_cursor)

errors = [
    list_plants.sync(client=client, cursor="no-cursor").error,
    get_plant.sync(1, client=client_with("plant_wrong")).error,
    get_plant.sync(404, client=client).error,
    create_plant.sync(client=client, body=NewPlant(id=1, name="Ficus")).error,
]
print(json.dumps({"id": str(kept.id), "pages": pages, "errors": errors}))
