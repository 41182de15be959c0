"""Reads what `helm template` printed, judges each object by the schemas of Kubernetes, and prints all as JSON."""

import json
import sys

import kubernetes_validate
import yaml

versions = sys.argv[1].split(",")
printed = {}
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        objects = [one for one in yaml.safe_load_all(file) if one is not None]
    for one in objects:
        # Kubernetes has no schema of what an operator adds.
        if one["apiVersion"] == "monitoring.coreos.com/v1":
            continue
        for version in versions:
            try:
                kubernetes_validate.validate(one, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                sys.exit(f"{path}: {one['kind']} for {version}: {error}")
    printed[path] = objects
json.dump(printed, sys.stdout)
