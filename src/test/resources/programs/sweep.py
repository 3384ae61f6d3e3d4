"""A task of a sweep: writes down how often it was started, and what it was told of its parameters. One in ten fails once."""

import json
import os
import sys

OUTPUT = os.environ["BERTH_OUTPUT_DIR"]

with open(os.path.join(OUTPUT, "starts"), "a") as starts:
    starts.write("x")
with open(os.environ["BERTH_PARAMS"]) as file:
    params = json.load(file)
with open(os.path.join(OUTPUT, "record.json"), "w") as file:
    json.dump(
        {
            "starts": os.path.getsize(os.path.join(OUTPUT, "starts")),
            "words": sys.argv[1:],
            "params": params,
            "variables": {name: value for name, value in os.environ.items() if name.startswith("BERTH_PARAM_")},
        },
        file,
    )
if "FAIL_ONCE" in os.environ and os.environ["BERTH_ATTEMPT"] == "1" and params["net"]["seed"] % 10 == 0:
    sys.exit(75)
