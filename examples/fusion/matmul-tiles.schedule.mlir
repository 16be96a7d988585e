// A schedule for matmul-tiles.mlir with tiles of 16 x 32 x 8; 32 does not divide
// the 72 columns. A and B are computed as tiles of the operands, in each step of
// the reduction. A tile of the product is stored before it is copied to D.
//
//   mlir-opt matmul-tiles.mlir --load-dialect-plugin=... --load-pass-plugin=...
//     --pass-pipeline='builtin.module(
//       transform-preload-library{transform-library-paths=matmul-tiles.schedule.mlir},
//       transform-interpreter)'

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
    %function = transform.structured.match ops{["func.func"]} attributes {sym_name = "matmul"} in %module
      : (!transform.any_op) -> !transform.any_op
    %formed = transform.apply_registered_pass "fuse-form" to %function
      : (!transform.any_op) -> !transform.any_op
    %a, %b, %c, %d = transform.fuse.tensors %formed ["A", "B", "C", "D"]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)

    // Split D [rows, columns] into tiles.
    transform.fuse.split %d[0] by 16 : !transform.any_op
    transform.fuse.split %d[2] by 32 : !transform.any_op
    transform.fuse.reorder %d[0, 2, 1, 3] : !transform.any_op
    // Compute a tile of the product for each tile of D.
    transform.fuse.compute_at %c, %d, 2 : !transform.any_op, !transform.any_op
    // Split the reduction into steps, and compute a tile of both operands in each.
    transform.fuse.split %c[-1] by 8 : !transform.any_op
    transform.fuse.reorder %c[0, 1, 4, 2, 3, 5] : !transform.any_op
    transform.fuse.compute_at %a, %c, 3 : !transform.any_op, !transform.any_op
    transform.fuse.compute_at %b, %c, 3 : !transform.any_op, !transform.any_op

    %loops = transform.fuse.lower %formed : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
