// The remote buffers of a replica have to fit in the streaming memory of its IPUs.

// RUN: not ipu-opt %s --ipu-allocate -o /dev/null 2>&1 | FileCheck %s
// RUN: not ipu-opt %s --ipu-execute -o /dev/null 2>&1 | FileCheck %s --check-prefixes=CHECK,ALLOW
// CHECK: streaming-memory.mlir:[[#@LINE+16]]:3: error: remote buffers do not fit: they need 1040 bytes on each replica, 16 more than the 1024 bytes of streaming memory of its IPUs; 'large' is the largest buffer, with 960 bytes in 3 rows
// ALLOW: note: to run it all the same, use option 'allow-oom' of ipu-execute or --allow-oom of ipu-run

// RUN: ipu-opt %s --ipu-execute="engine=none allow-oom profile=%t" -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN
// RUN: FileCheck %s --check-prefix=PROFILE < %t
// WARN: warning: remote buffers do not fit
// PROFILE: "streaming_memory": {
// PROFILE-NEXT: "capacity": 1024,
// PROFILE-NEXT: "bytes": 1040,
// PROFILE: "name": "large",
// PROFILE-NEXT: "location": "streaming-memory.mlir:[[#@LINE+6]]:3",
// PROFILE-NEXT: "rows": 3,
// PROFILE-NEXT: "row_bytes": 320,
// PROFILE-NEXT: "bytes": 960
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64, streaming_memory = 512 : i64}>} {
  ipu.remote_buffer @small : 1 x tensor<20xf32>
  ipu.remote_buffer @large : 3 x tensor<160xf16>
  func.func @main() {
    return
  }
}
