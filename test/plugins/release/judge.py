"""Reads the files of a release with libraries that are not ours: securesystemslib (DSSE), in-toto, CycloneDX.

judge.py statement FOLDER KEY   verifies release.json with the public key (PEM), and its types
judge.py bom FILE...            validates CycloneDX documents against the schema of the specification
"""

import json
import sys
from pathlib import Path


def statement(folder: str, key_file: str) -> None:
    from google.protobuf.json_format import ParseDict
    from in_toto_attestation.predicates.provenance.v1.provenance_pb2 import Provenance
    from in_toto_attestation.v1.statement import Statement
    from in_toto_attestation.v1.statement_pb2 import Statement as Message
    from cryptography.hazmat.primitives.serialization import load_pem_public_key
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import SSlibKey

    text = Path(folder, "release.json").read_text()
    envelope = Envelope.from_dict(json.loads(text))
    key_id = json.loads(text)["signatures"][0]["keyid"]
    public = load_pem_public_key(Path(key_file).read_bytes())
    envelope.verify([SSlibKey.from_crypto(public, keyid=key_id)], 1)
    body = json.loads(envelope.payload)
    message = ParseDict(body, Message())
    Statement.copy_from_pb(message).validate()
    # Refuses members that the type does not have.
    ParseDict(body["predicate"], Provenance())
    print(json.dumps(sorted(subject["name"] for subject in body["subject"])))


def bom(files: list[str]) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    validator = JsonStrictValidator(SchemaVersion.V1_6)
    for file in files:
        fault = validator.validate_str(Path(file).read_text())
        if fault is not None:
            sys.exit(f"{file}: {fault}")
        print(file)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:]
    if kind == "statement":
        statement(*rest)
    else:
        bom(rest)
