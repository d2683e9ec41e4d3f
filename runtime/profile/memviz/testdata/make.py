# Copyright 2026 The gpumemlint Authors
# SPDX-License-Identifier: Apache-2.0
#
# Writes python-N.pickle.gz with Python's own pickler, in the shape of
# torch.cuda.memory._snapshot(): python3 make.py
import gzip
import pickle

base = 0x7F0000000000
frames = [{"filename": "/app/train.py", "line": 41, "name": "load_batch"}, {"filename": "/app/train.py", "line": 7, "name": "main"}]
snapshot = {
    "segments": [{
        "device": 0, "address": base, "total_size": 2097152, "stream": 94250112, "segment_type": "small",
        "segment_pool_id": (0, 0), "allocated_size": 1024, "active_size": 1536, "requested_size": 1400,
        "is_expandable": False, "frames": frames, "blocks": [
            {"address": base, "size": 1024, "requested_size": 1000, "state": "active_allocated", "frames": frames},
            {"address": base + 1024, "size": 512, "requested_size": 400, "state": "active_pending_free", "frames": []},
            {"address": base + 1536, "size": 2097152 - 1536, "requested_size": 0, "state": "inactive", "frames": []},
        ]}],
    "device_traces": [[{"action": "alloc", "addr": base + i * 512, "size": 100 + i, "stream": 94250112, "time_us": 1790000000000000 + i,
                        "compile_context": "N/A", "user_metadata": {"step": 1} if i == 0 else "", "pool_id": (0, 0), "frames": frames}
                       for i in range(1500)] +
                      [{"action": "oom", "device_free": 1 << 33, "size": 1 << 40, "stream": 0, "time_us": 1790000000002000, "frames": frames}], []],
    "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "garbage_collection_threshold": 0.75,
                           "expandable_segments": True, "pinned_num_register_threads": 1, "release_lock_on_cudamalloc": False,
                           "pinned_use_cuda_host_register": False, "graph_capture_record_stream_reuse": None,
                           "roundup_power2_divisions": {"1": 0, "2": 4}},
    "external_annotations": [{"device": 0, "time_us": 1790000000000001, "name": "step", "stage": "START"}],
}
for protocol in range(2, 6):
    with open(f"python-{protocol}.pickle.gz", "wb") as f:
        f.write(gzip.compress(pickle.dumps(snapshot, protocol=protocol), mtime=0))
