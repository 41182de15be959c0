"""Parses the exports of a folder by the protobuf types of OpenTelemetry, and prints what they hold as JSON."""

import json
import pathlib
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

TYPES = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest}


def parsed(file: pathlib.Path) -> dict:
    kind = file.name.split("-")[0]
    message = TYPES[kind]()
    message.ParseFromString(file.read_bytes())
    known = TYPES[kind]()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    spans = [s for r in message.resource_spans for c in r.scope_spans for s in c.spans] if kind == "traces" else []
    return {
        "kind": kind,
        "unknown": known.ByteSize() != message.ByteSize(),
        "ids": [[len(s.trace_id), len(s.span_id), len(s.parent_span_id)] for s in spans],
        "times": [s.end_time_unix_nano >= s.start_time_unix_nano > 0 for s in spans],
        "message": MessageToDict(message),
    }


print(json.dumps([parsed(file) for file in sorted(pathlib.Path(sys.argv[1]).iterdir())]))
