# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The transforms that utils/fuzz-transforms applies to graphs and to training programs,
one in each row.

The contracts of passes define the conditions that they assume, guarantee and preserve,
and ipu-opt checks these contracts."""

import dataclasses

PARTS = ("pop.vgraph", "pop.stage", "pop.phase", "pop.batch_phase")
EXACT = "exact"  # All results have equal bits.
REASSOCIATES = "reassociates"  # Sums of floats may be in another order.
DRAWS = "draws"  # Random bits are others.


# Errors of pop-batch-serialize: random programs have no batches of any number of samples.
UNDIVIDED = ("expects the number of parts to divide the batch|expects an input with a batch|"
             "expects the batch axes of its operands to be one dimension|is in batch phase .* already|"
             "reads a result of batch phase")


# Errors of pop-host-reduce: updates that have to stay on the device.
ON_DEVICE = ("is not in the body of the entry function|expects a 'pop.all_reduce' of the gradient|"
             "is updated by an optimizer, but|has a result that the device needs|updates no weights|"
             "expects updated variables to be equal on all replicas")


# Errors of pop-recompute: random marks, some of which are on ops that cannot be
# recomputed, and losses in several stages.
NOT_RECOMPUTED = ("has attribute 'pop.recompute' with value|is in another pipeline stage than another|"
                  "is in the last stage of the forward pass, but")


# Errors of pop-streaming-memory: programs with phases, and with few ops.
NOT_PHASED = "expects ops without phases|expects at least as many ops as phases"


@dataclasses.dataclass(frozen=True)
class Transform:
    """`passes` are those of a pipeline on a module, of which the first names the row."""

    passes: str
    bits: str = EXACT
    # What a program must have: "io" (arguments or results of @main), "next_seed"; and
    # what it must not have: "contexts" (pop.execution_context).
    needs: tuple = ()
    refuses: tuple = ("next_seed",)
    # Whether private functions may vanish, and calls, so that a function has no
    # callers any more.
    erases_functions: bool = False
    erases_calls: bool = False
    # Parts of placements that its ops need not have, though all ops of the program had.
    unplaced: tuple = ()
    # Whether it does nothing but erase ops, or use one instead of an equal one: no op
    # then uses a result of an op of which no equal op used a result of an equal one.
    keeps_edges: bool = False
    # Whether ops may be left that nothing uses.
    leaves_dead: bool = False
    # A pattern of the errors by which it may refuse a program, which then stays as it is.
    refusal: str = ""
    # Of training programs: where it comes, of SLOTS, and whether it is a pass that each
    # of them needs.
    slots: tuple = ()
    is_step: bool = False

    @property
    def name(self):
        return self.passes.split("(")[-1].split("{")[0].split(",")[0].rstrip(")")


TRANSFORMS = [
    # Branches that are never taken vanish, with the calls in them.
    Transform("pop-canonicalize", refuses=(), erases_calls=True),
    Transform("pop-cse", refuses=(), keeps_edges=True),
    Transform("func.func(pop-decompose)", refuses=()),
    Transform("func.func(pop-choose-accumulation)", REASSOCIATES, refuses=()),
    # No other pass: those of MLIR know nothing of placements. Operands that a function
    # does not use have no use then.
    Transform("inline{default-pipeline=}", refuses=("contexts",), erases_functions=True, erases_calls=True,
              leaves_dead=True),
    Transform("pop-snapshot-reads"),
    Transform("pop-update-in-place"),
    Transform("pop-merge-code-loads", refuses=()),
    Transform("symbol-dce", refuses=(), erases_functions=True, keeps_edges=True),
    Transform("pop-prune", refuses=(), erases_functions=True, erases_calls=True, keeps_edges=True),
    Transform("pop-merge-duplicate-ops", refuses=(), keeps_edges=True),
    # A seed that nothing uses is dead once nothing says that there is a next one.
    Transform("pop-random-setup", DRAWS, needs=("next_seed",), refuses=(), leaves_dead=True,
              unplaced=("pop.phase", "pop.batch_phase")),
    Transform("pop-host-load-setup", needs=("io",), refuses=()),
    Transform("pop-host-store-setup", needs=("io",), refuses=()),
    Transform("pop-merge-exchange", refuses=()),
    Transform("pop-decompose-sums", REASSOCIATES, refuses=()),
    Transform("pop-schedule", refuses=()),
    Transform("pop-contiguate-collectives", refuses=()),
    *(Transform(f"pop-contiguate-collectives{bound},func.func(pop-merge-collectives{bound})", refuses=())
      for bound in ("", "{max-bytes=64}")),
    Transform("pop-parallelize-updates", refuses=()),
    Transform("pop-merge-loops", refuses=()),
    Transform("pop-order-batch-phases", refusal="reads a result of batch phase", refuses=()),
    *(Transform(f"pop-batch-serialize{{factor=2 method={method}}},pop-order-batch-phases",
                refusal=UNDIVIDED, refuses=())
      for method in ("static", "dynamic", "loop")),
    *(Transform(f"pop-serialize-matmuls{{min-bytes=0 {options}}}", refuses=())
      for options in ("factor=2", "factor=6", "factor=3 mode=reducing-dim")),
    Transform("pop-group-matmuls", refuses=()),
    # Calls of new functions have the stages and phases of their ops.
    Transform("pop-outline{threshold=-1000000 max-slowdown=1000000}", refuses=("next_seed",),
              unplaced=("pop.stage", "pop.phase", "pop.batch_phase")),
]


# What follows each slot makes a program that runs.
SLOTS = ["loss", "gradients", "updates", "variables", "loads", "end"]
STATES = ("updates", "variables")
TRAINING = [
    Transform("pop-pre-automatic-loss-scale{func=f tensors=NAMES}", needs=("arguments",),
              slots=("loss",)),
    Transform("pop-add-optimizer", slots=("gradients",), is_step=True, unplaced=PARTS),
    Transform("pop-state-to-variables", slots=("updates",), is_step=True, unplaced=PARTS),
    Transform("pop-variables-to-state", slots=("variables",), unplaced=PARTS),
    Transform("pop-main-loops", needs=("loops",), slots=("loads",), is_step=True, unplaced=PARTS),
    *(Transform(f"pop-merge-var-updates{{{options}}}", slots=STATES)
      for options in ("mode=all", "mode=tight threshold=20", "mode=loose threshold=40")),
    Transform("pop-ensure-fp32-loss-scale", REASSOCIATES, slots=STATES),
    *(Transform(f"pop-automatic-loss-scale{options}", REASSOCIATES, needs=("f16",), refuses=("velocity",),
                slots=STATES, unplaced=PARTS)
      for options in ("", "{track=contractions}", "{update-period=2}")),
    Transform("pop-clip-gradients", REASSOCIATES, needs=("clip norms",), slots=STATES,
              unplaced=("pop.stage",)),
    Transform("pop-decompose-optimizers", slots=STATES),
    Transform("pop-host-reduce", slots=("end",), refusal=ON_DEVICE, unplaced=PARTS),
    Transform("pop-decompose-sums{gradients-only}", REASSOCIATES, slots=("gradients", *STATES)),
    Transform("pop-decompose-sums", REASSOCIATES, slots=("gradients", *STATES)),
    *(Transform(f"pop-annotate-recompute{{method={method}}},pop-recompute", refusal=NOT_RECOMPUTED,
                slots=("gradients", "loads", "end"))
      for method in ("standard", "all", "pipeline", "norm-only")),
    *(Transform(f"pop-shard-variables{{min-elements=2 variables={variables}exact}}", needs=("replicas",), slots=("end",))
      for variables in ("optimizer ", "weights,optimizer,accumulators ")),
    Transform("pop-shard-variables{min-elements=2 variables=weights,optimizer}", REASSOCIATES,
              needs=("replicas",), slots=("end",)),
    *(Transform(f"pop-remote-setup{{variables={variables}}}", slots=("end",))
      for variables in ("optimizer", "weights,optimizer,accumulators")),
    *(Transform(f"pop-streaming-memory{{phases={phases} {options}}}", refusal=NOT_PHASED, slots=("end",), unplaced=PARTS)
      for phases, options in ((2, "activations"), (3, "activations early"), (5, "activations schedule=batch"),
                              (4, "activations schedule=batch-clustered-io"))),
    Transform("pop-inplace-accumulate", REASSOCIATES, needs=("accumulated sums",),
              slots=("updates", "variables", "end")),
]


# Of graphs; those that change the order of ops come after all loops are there.
OF_GRAPHS = {"pop-prune": ("gradients", "loads", "end"), "pop-merge-duplicate-ops": ("gradients", "end"),
             "pop-cse": ("end",), "pop-canonicalize": ("end",), "pop-decompose": ("loads", "end"),
             "pop-merge-exchange": ("end",), "pop-snapshot-reads": ("end",), "pop-schedule": ("end",),
             "pop-contiguate-collectives": ("end",), "pop-merge-collectives": ("end",),
             "pop-parallelize-updates": ("end",),
             "pop-serialize-matmuls": ("gradients", "variables", "loads", "end"),
             "pop-group-matmuls": ("gradients", "end"), "pop-outline": ("end",),
             "pop-update-in-place": ("end",), "pop-merge-loops": ("end",),
             "pop-order-batch-phases": ("end",), "pop-batch-serialize": ("end",)}  # fmt: skip
TRAINING += [dataclasses.replace(row, slots=OF_GRAPHS[row.name], leaves_dead="decompose" in row.name)
             for row in TRANSFORMS if row.name in OF_GRAPHS]


def get_features(program):
    """What transforms may need or refuse."""
    found = set()
    if program.main.arguments or program.main.body.yields:
        found.add("io")
    if program.has_contexts:
        found.add("contexts")
    if program.has_next_seed:
        found.add("next_seed")
    return found


def get_legal(rows, features):
    return [row for row in rows if features.issuperset(row.needs) and features.isdisjoint(row.refuses)]


def draw_sequence(rng, rows, features):
    """One transform, or a few in any order. Seeds are chosen before anything else."""
    features, sequence = set(features), []
    count = rng.choice([1, 1, 1, 2, 3, 5])
    if "next_seed" in features:
        setup = [row for row in rows if row.bits == DRAWS]
        if not setup:
            return []
        sequence = setup[:1]
        features -= {"next_seed"}
    legal = get_legal(rows, features)
    while legal and len(sequence) < count:
        row = rng.choice(legal)
        # Twice the same says little.
        if not sequence or sequence[-1] is not row:
            sequence.append(row)
        elif len(legal) == 1:
            break
    return sequence
