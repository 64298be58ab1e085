import csv
import io
import os
import sys
from pathlib import Path

from plantstore import Plantstore


def accepted(summary):
    if summary.failed:
        sys.exit(f"{summary.failed} refused, the first since: {summary.refused[0].message}")
    return summary


products = Path("products.csv").read_bytes()
# Excel begins a file with a byte order mark, which utf-8-sig leaves out.
rows = csv.DictReader(io.StringIO(products.decode("utf-8-sig"), newline=""), strict=True)
wanted = set()
try:
    for row in rows:
        id = int(row["id"])
        if id in wanted:
            sys.exit(f"products.csv, line {rows.line_num}: the id {id} is there twice")
        wanted.add(id)
except (csv.Error, KeyError, TypeError, ValueError) as problem:
    sys.exit(f"products.csv, line {rows.line_num}: {type(problem).__name__}: {problem}")
if not wanted:
    sys.exit("products.csv is empty")
with Plantstore(application="sync/1.0") as store:
    there = [plant.id for plant in store.export()]
    gone = [id for id in there if id not in wanted]
    tried = accepted(store.import_file(products, "csv", existing="update", dry_run=True))
    if tried.created + tried.updated + tried.unchanged != len(wanted):
        sys.exit("The service reads products.csv otherwise; nothing was changed")
    if len(gone) > int(os.environ.get("REMOVE_MAX") or max(10, len(there) // 10)):
        sys.exit(f"{len(gone)} plants would be removed; if that is right, set REMOVE_MAX={len(gone)}")
    done = accepted(store.import_file(products, "csv", existing="update"))
    removed = accepted(store.remove_many(gone))
    print(done.created, "created,", done.updated, "updated,", removed.removed, "removed")
