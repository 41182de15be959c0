"""Prints the pod that a StatefulSet of `helm template` makes, with its settings and its volume, for `podman kube play`."""

import sys

import yaml

path, address = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    objects = {one["kind"]: one for one in yaml.safe_load_all(file) if one is not None}
servers = objects["StatefulSet"]
name = f"{servers['metadata']['name']}-0"
spec = servers["spec"]["template"]["spec"]
claims = []
for claim in servers["spec"]["volumeClaimTemplates"]:
    volume = claim["metadata"]["name"]
    claims.append(
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": f"{volume}-{name}"},
            "spec": claim["spec"],
        }
    )
    spec["volumes"].append({"name": volume, "persistentVolumeClaim": {"claimName": f"{volume}-{name}"}})
[container] = spec["containers"]
# The network is that of this machine, and no kubelet probes.
for part in ("ports", "startupProbe", "livenessProbe", "readinessProbe"):
    del container[part]
container["env"].append({"name": "ORB_LISTEN", "value": address})
pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}
yaml.safe_dump_all([*claims, objects["ConfigMap"], pod], sys.stdout)
