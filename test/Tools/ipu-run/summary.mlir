// The summary fits a terminal: no more than 40 lines, of no more than 100 columns.
//
// RUN: ipu-run %src_root/examples/lenet.onnxtxt --input '*=ones' --output-dir %t --summary > %t.lenet
// RUN: %python -c "lines = open(r'%t.lenet').read().splitlines(); assert 25 < len(lines) <= 40 and max(map(len, lines)) <= 100, lines"
// RUN: FileCheck %s --check-prefix=LENET --input-file %t.lenet
// LENET: fits: the fullest tile needs {{[0-9,]+}} of 638,976 bytes
// LENET: Conv_conv2 compute ({{[a-z]+}}) {{[0-9,]+}}
// LENET: advice: overlap host copies with compute: --micro-batches 4 --overlap-io (at most {{[0-9.]+}} % of time)

// The advice can be followed. Compute then waits for transfers.
//
// RUN: ipu-run %src_root/examples/lenet.onnxtxt --engine none --summary --micro-batches 4 --overlap-io | FileCheck %s --check-prefix=OVERLAP
// OVERLAP: advice: use a larger batch, because compute waits for host transfers, {{.*}} (at most {{[0-9.]+}} % of time)

// Names are printed on one line, and not cut within a character.
//
// RUN: ipu-run %s --input '*=ones' --output-dir %t --summary | FileCheck %s
// CHECK: ops with most cycles
// CHECK: {{^}}  äöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßä... compute
// CHECK: {{^}}  line break [31m {{.*}}compute

// The columns of a table are straight, also after names of wide characters.
//
// RUN: ipu-run %s --entry wide --input '*=ones' --output-dir %t --summary | FileCheck %s --check-prefix=WIDE --match-full-lines --strict-whitespace
//      WIDE:ops with most cycles                           mostly                              cycles     share
//      WIDE:  日本語日本語日本語日本語                     compute {{.*}}

// A line that is too long is broken.
//
// RUN: ipu-run %s --engine none --target clock_hz=1,replicas=1000,ipus=10 --summary > %t.long
// RUN: %python -c "lines = open(r'%t.long').read().splitlines(); assert max(map(len, lines)) <= 100, lines"
// RUN: FileCheck %s --check-prefix=LONG --input-file %t.long
// LONG:      time: {{[0-9]+}} cycles, {{[0-9]+}}000000.000 us,{{$}}
// LONG-NEXT: {{^}}  on gc200 at 0.000 GHz: 1000 replica(s) x 10 IPU(s) x 1472 tiles

// A program that does nothing has no rows.
//
// RUN: ipu-run %s --entry nothing --summary | FileCheck %s --check-prefix=NOTHING
// NOTHING: time: 0 cycles
// NOTHING-NOT: time by kind
// NOTHING-NOT: advice

// Code that is too much does not fit, even if memory is enough.
//
// RUN: ipu-run %s --input '*=ones' --output-dir %t --target code_memory=4200 --allow-oom --summary 2> /dev/null | FileCheck %s --check-prefix=CODE
// CODE: does not fit: the fullest tile needs {{[0-9,]+}} of 638,976 bytes (0.{{[0-9]}} %), {{[0-9,]+}} of 4,200 for code
// CODE: advice: call functions instead of repeating ops, or load code: a tile has {{[0-9,]+}} bytes of code too many

func.func @main(%a: tensor<4xf32> {pop.name = "a"}) -> (tensor<4xf32> {pop.name = "y"}) {
  %0 = pop.exp %a : tensor<4xf32> loc("äöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüßäöüß")
  %1 = pop.neg %0 : tensor<4xf32> loc("line\0Abreak\1B[31m")
  return %1 : tensor<4xf32>
}

func.func @wide(%a: tensor<4xf32> {pop.name = "a"}) -> (tensor<4xf32> {pop.name = "y"}) {
  %0 = pop.exp %a : tensor<4xf32> loc("日本語日本語日本語日本語")
  return %0 : tensor<4xf32>
}

func.func @nothing() {
  return
}
