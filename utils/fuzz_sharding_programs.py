# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random sharded programs for fuzz-sharding.

A DialectProgram has ops of one of several dialects. It has either no conflicts, so that
the final shardings are known, or any shardings. fuzz-sharding has another kind of program.
"""

import math
import random

MESH = {"a": 2, "b": 2, "c": 3, "d": 4, "e": 2, "m": 2}
# What shards the dimensions: no two overlap. `m` is for manual computations.
UNITS = {'"a"': 2, '"b"': 2, '"c"': 3, '"d":(1)2': 2, '"d":(2)2': 2, '"e"': 2, '"m"': 2}
DIALECTS = ["stablehlo", "pop", "linalg"]


def mesh_text(mesh):
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh.items())
    return f"sdy.mesh @mesh = <[{axes}]>"


def tensor(shape):
    return "tensor<" + "".join(f"{size}x" for size in shape) + "f32>"


def join_parts(units):
    """Text of units; neighbours that make up an axis become the axis."""
    text = ", ".join(units)
    return text.replace('"d":(1)2, "d":(2)2', '"d"')


def any_sharding(rng, mesh, split, rank):
    """Some of the axes, of `split` perhaps the major half; some dimensions closed."""
    free = list(mesh)
    rng.shuffle(free)
    dims = []
    for _ in range(rank):
        axes = []
        while free and rng.random() < 0.5:
            axis = free.pop()
            part = axis == split and rng.random() < 0.3
            axes.append(f'"{axis}":(1)2' if part else f'"{axis}"')
        is_open = rng.random() < 0.7
        priority = ""
        if (axes or is_open) and rng.random() < 0.4:
            priority = f"p{rng.randint(0, 3)}"
        items = axes + (["?"] if is_open else [])
        dims.append("{" + ", ".join(items) + "}" + priority)
    kept = sorted(a for a in free if rng.random() < 0.1)
    replicated = ", replicated={" + ", ".join(f'"{a}"' for a in kept) + "}" if kept else ""
    return f"<@mesh, [{', '.join(dims)}]{replicated}>"


class Atom:
    """A part of dimensions that ops carry from tensor to tensor. Atoms that have to be
    sharded alike have one representative."""

    def __init__(self, size):
        self.size = size
        self.parent = self
        self.units = []

    def find(self):
        return self if self.parent is self else self.parent.find()


class Value:
    """Dimensions are lists of atoms, major to minor."""

    def __init__(self, name, dims):
        self.name = name
        self.dims = dims
        # How many units of each atom are known to shard it.
        self.known = [[0] * len(dim) for dim in dims]

    def shape(self):
        return [math.prod(atom.size for atom in dim) for dim in self.dims]

    def type(self):
        return tensor(self.shape())

    def sizes(self):
        return [[atom.size for atom in dim] for dim in self.dims]

    def positions(self):
        return [(d, i) for d, dim in enumerate(self.dims) for i in range(len(dim))]

    def is_full(self, d, i):
        atom = self.dims[d][i]
        units = atom.find().units[:self.known[d][i]]
        return math.prod(UNITS[unit] for unit in units) == atom.size

    def raise_known(self, d, i, count):
        """As far as what is major to the atom lets it be written."""
        if count <= self.known[d][i] or not all(self.is_full(d, j) for j in range(i)):
            return False
        self.known[d][i] = count
        return True

    def dim_texts(self):
        return [join_parts([unit for atom, known in zip(dim, counts)
                            for unit in atom.find().units[:known]])
                for dim, counts in zip(self.dims, self.known)]


class DialectProgram:
    """Unless there are to be conflicts, each unit shards one class of atoms, and no
    tensor has a class twice, so that there is nothing to choose: all tensors get all
    they can represent."""

    def __init__(self, seed, dialect, regions=False, conflicts=False):
        self.random = random.Random(seed)
        self.dialect = dialect
        self.regions = regions
        self.conflicts = conflicts
        self.values = []
        self.ops = []  # (lines, result or None, operands)
        self.links = []  # (op, what it shards alike: [(value, dim, atom)])
        self.functions = {}
        self.manual = None
        self.arguments = [self.argument(i) for i in range(self.random.randint(2, 4))]
        for _ in range(self.random.randint(3, 12)):
            self.add()
        self.seeds = {}  # of values: [(dimension texts, is result attribute)]
        self.choose_units()
        self.choose_seeds()
        self.solve()

    # Building

    def argument(self, i):
        dims = []
        for _ in range(self.random.randint(1, 3)):
            parts = 2 if self.random.random() < 0.2 else 1
            dims.append([Atom(self.random.choice([2, 3, 4, 4, 6])) for _ in range(parts)])
        value = Value(f"%a{i}", dims)
        self.values.append(value)
        return value

    def result(self, dims, operands, lines):
        value = Value(f"%v{len(self.ops)}", dims)
        self.ops.append(([line.replace("%r", value.name).replace("%t", f"{value.name}_")
                          for line in lines], value, operands))
        self.values.append(value)
        return value

    def unite(self, *places):
        """Of places (value, dim, atom): to be sharded alike."""
        root = places[0][0].dims[places[0][1]][places[0][2]].find()
        for value, d, i in places[1:]:
            value.dims[d][i].find().parent = root
        self.links.append((len(self.ops), places))

    def unite_values(self, *values):
        for d, i in values[0].positions():
            self.unite(*[(value, d, i) for value in values])

    def copy_dims(self, dims):
        return [[Atom(atom.size) for atom in dim] for dim in dims]

    def pointwise(self, kind, operands, out):
        types = operands[0].type()
        names = ", ".join(value.name for value in operands)
        if self.dialect != "linalg":
            return [f"{out} = {self.dialect}.{kind} {names} : {types}"]
        return [f"{out}_e = tensor.empty() : {types}",
                f"{out} = linalg.{kind} ins({names} : {', '.join([types] * len(operands))}) "
                f"outs({out}_e : {types}) -> {types}"]

    def add(self):
        kinds = ["unary", "binary", "transpose", "dot", "reduce", "broadcast", "merge",
                 "split", "constraint"]
        if self.regions:
            kinds += ["loop", "branch", "barrier", "manual", "group", "call"]
        getattr(self, "add_" + self.random.choice(kinds))(self.random.choice(self.values))

    def add_unary(self, a):
        self.unite_values(a, self.result(self.copy_dims(a.dims), [a],
                                         self.pointwise("tanh", [a], "%r")))

    def add_binary(self, a):
        b = self.random.choice([v for v in self.values if v.sizes() == a.sizes()])
        self.unite_values(a, b, self.result(self.copy_dims(a.dims), [a, b],
                                            self.pointwise("add", [a, b], "%r")))

    def add_transpose(self, a):
        if not a.dims:  # MLIR 22 crashes on linalg.transpose of rank 0
            return
        order = list(range(len(a.dims)))
        self.random.shuffle(order)
        dims = self.copy_dims([a.dims[i] for i in order])
        to = tensor([a.shape()[i] for i in order])
        lines = {
            "stablehlo": [f"%r = stablehlo.transpose {a.name}, dims = {order} : ({a.type()}) -> {to}"],
            "pop": [f"%r = pop.transpose {a.name} {{permutation = array<i64: "
                    f"{', '.join(map(str, order))}>}} : {a.type()} -> {to}"],
            "linalg": [f"%t = tensor.empty() : {to}",
                       f"%r = linalg.transpose ins({a.name} : {a.type()}) outs(%t : {to}) "
                       f"permutation = {order}"],
        }[self.dialect]
        r = self.result(dims, [a], lines)
        for d, source in enumerate(order):
            for i in range(len(dims[d])):
                self.unite((a, source, i), (r, d, i))

    def add_dot(self, a):
        found = []
        for b in self.values:
            for i, x in enumerate(a.sizes()):
                for j, y in enumerate(b.sizes()):
                    batches = [(p, q) for p, s in enumerate(a.sizes()) for q, t in enumerate(b.sizes())
                               if s == t and p != i and q != j]
                    if x == y and len(a.dims) + len(b.dims) <= 5:
                        found += [(b, i, j, None)] + [(b, i, j, batch) for batch in batches]
        if self.dialect == "pop":  # matrices, or stacks of them
            found = [(b, i, j, batch) for b, i, j, batch in found
                     if (len(a.dims), len(b.dims), i, j, batch)
                     in ((2, 2, 1, 0, None), (3, 3, 2, 1, (0, 0)))]
        if not found:
            return
        b, i, j, batch = self.random.choice(found)
        p, q = batch or (None, None)
        left = [k for k in range(len(a.dims)) if k not in (i, p)]
        right = [k for k in range(len(b.dims)) if k not in (j, q)]
        sources = ([(a, p, b, q)] if batch else []) + [(a, k) for k in left] + [(b, k) for k in right]
        dims = self.copy_dims([source[0].dims[source[1]] for source in sources])
        r = self.result(dims, [a, b], [])
        types = f"({a.type()}, {b.type()}) -> {r.type()}"
        if self.dialect == "stablehlo":
            batching = f"batching_dims = [{p}] x [{q}], " if batch else ""
            lines = [f"%r = stablehlo.dot_general {a.name}, {b.name}, {batching}contracting_dims = "
                     f"[{i}] x [{j}] : {types}"]
        elif self.dialect == "pop":
            lines = [f"%r = pop.matmul {a.name}, {b.name} : {types}"]
        else:
            letter = {}
            for k, source in enumerate(sources):
                letter["a" if k < len(sources) - len(right) else "b", source[1]] = f"d{k}"
                if len(source) == 4:
                    letter["b", source[3]] = f"d{k}"
            letter["a", i] = letter["b", j] = f"d{len(sources)}"
            every = ", ".join(f"d{k}" for k in range(len(sources) + 1))

            def get_map(letters):
                return f"affine_map<({every}) -> ({', '.join(letters)})>"
            maps = [get_map([letter["a", d] for d in range(len(a.dims))]),
                    get_map([letter["b", d] for d in range(len(b.dims))]),
                    get_map([f"d{k}" for k in range(len(sources))])]
            lines = [f"%t = tensor.empty() : {r.type()}",
                     f"%r = linalg.contract indexing_maps = [{', '.join(maps)}] ins({a.name}, "
                     f"{b.name} : {a.type()}, {b.type()}) outs(%t : {r.type()}) -> {r.type()}"]
        self.ops[-1] = ([line.replace("%r", r.name).replace("%t", r.name + "_")
                         for line in lines], r, [a, b])
        for k in range(len(a.dims[i])):
            self.unite((a, i, k), (b, j, k))
        for d, source in enumerate(sources):
            places = list(zip(source[::2], source[1::2])) + [(r, d)]
            for k in range(len(dims[d])):
                self.unite(*[(value, dim, k) for value, dim in places])

    def add_reduce(self, a):
        if len(a.dims) < 2:
            return
        dim = self.random.randrange(len(a.dims))
        kept = [d for d in range(len(a.dims)) if d != dim]
        dims = self.copy_dims([a.dims[d] for d in kept])
        to = tensor([a.shape()[d] for d in kept])
        lines = {
            "stablehlo": ["%t = stablehlo.constant dense<0.0> : tensor<f32>",
                          f"%r = stablehlo.reduce({a.name} init: %t) applies stablehlo.add across "
                          f"dimensions = [{dim}] : ({a.type()}, tensor<f32>) -> {to}"],
            "pop": [f"%r = pop.reduce sum {a.name} {{axes = array<i64: {dim}>}} : {a.type()} -> {to}"],
            "linalg": [f"%t = tensor.empty() : {to}",
                       f"%r = linalg.reduce {{ arith.addf }} ins({a.name} : {a.type()}) "
                       f"outs(%t : {to}) dimensions = [{dim}]"],
        }[self.dialect]
        r = self.result(dims, [a], lines)
        for d, source in enumerate(kept):
            for i in range(len(dims[d])):
                self.unite((a, source, i), (r, d, i))

    def add_broadcast(self, a):
        # Each use of a scalar's broadcast gets one of its own, sharded by itself.
        if not a.dims or len(a.dims) > 3 or self.dialect == "pop":
            return
        at = self.random.randint(0, len(a.dims))
        dims = self.copy_dims(a.dims)
        dims.insert(at, [Atom(self.random.choice([2, 3, 4]))])
        to = tensor([math.prod(atom.size for atom in dim) for dim in dims])
        sources = [d if d < at else d + 1 for d in range(len(a.dims))]
        lines = {
            "stablehlo": [f"%r = stablehlo.broadcast_in_dim {a.name}, dims = {sources} : "
                          f"({a.type()}) -> {to}"],
            "linalg": [f"%t = tensor.empty() : {to}",
                       f"%r = linalg.broadcast ins({a.name} : {a.type()}) outs(%t : {to}) "
                       f"dimensions = [{at}]"],
        }[self.dialect]
        r = self.result(dims, [a], lines)
        for source, d in enumerate(sources):
            for i in range(len(dims[d])):
                self.unite((a, source, i), (r, d, i))

    def reshape(self, a, dims, groups):
        """`groups` of dimensions that become, or come from, one."""
        to = tensor([math.prod(atom.size for atom in dim) for dim in dims])
        if self.dialect == "linalg" and len(dims) > len(a.dims):
            shape = [math.prod(atom.size for atom in dim) for dim in dims]
            lines = [f"%r = tensor.expand_shape {a.name} {groups} output_shape {shape} : "
                     f"{a.type()} into {to}"]
        elif self.dialect == "linalg":
            lines = [f"%r = tensor.collapse_shape {a.name} {groups} : {a.type()} into {to}"]
        elif self.dialect == "pop":
            lines = [f"%r = pop.reshape {a.name} : {a.type()} to {to}"]
        else:
            lines = [f"%r = stablehlo.reshape {a.name} : ({a.type()}) -> {to}"]
        r = self.result(dims, [a], lines)
        for x, y in zip(a.positions(), r.positions()):
            self.unite((a, *x), (r, *y))

    def add_merge(self, a):
        if len(a.dims) < 2:
            return
        at = self.random.randrange(len(a.dims) - 1)
        dims = self.copy_dims(a.dims)
        dims[at:at + 2] = [dims[at] + dims[at + 1]]
        self.reshape(a, dims, [[d] if d < at else [at, at + 1] if d == at else [d + 1]
                               for d in range(len(dims))])

    def add_split(self, a):
        found = [d for d, dim in enumerate(a.dims) if len(dim) > 1]
        if not found:
            return
        at = self.random.choice(found)
        cut = self.random.randint(1, len(a.dims[at]) - 1)
        dims = self.copy_dims(a.dims)
        dims[at:at + 1] = [dims[at][:cut], dims[at][cut:]]
        self.reshape(a, dims, [[d] if d < at else [at, at + 1] if d == at else [d + 1]
                               for d in range(len(a.dims))])

    def add_constraint(self, a):
        # The sharding is filled in when seeds are known.
        self.unite_values(a, self.result(self.copy_dims(a.dims), [a], [
            f"%r = sdy.sharding_constraint {a.name} <SEED> : {a.type()}"]))

    # Ops with regions

    def body(self, value, out):
        return self.pointwise("tanh", [Value(value, self.copy_dims(self.current.dims))], out)

    def add_loop(self, a):
        self.current = a
        own = a.type()
        if self.dialect == "stablehlo":
            lines = [f"%t:2 = stablehlo.while(%ti = %n, %tv = {a.name}) : tensor<i32>, {own}", "cond {",
                     "%tc = stablehlo.compare LT, %ti, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
                     "stablehlo.return %tc : tensor<i1>", "} do {", *self.body("%tv", "%ts"),
                     f"stablehlo.return %ti, %ts : tensor<i32>, {own}", "}"]
        else:
            lines = ["%tz = arith.constant 0 : index", "%to = arith.constant 1 : index",
                     f"%t = scf.for %ti = %tz to %n step %to iter_args(%tv = {a.name}) -> ({own}) {{",
                     *self.body("%tv", "%ts"), f"scf.yield %ts : {own}", "}"]
        self.region_result(a, lines, "%t#1" if self.dialect == "stablehlo" else "%t")

    def add_branch(self, a):
        self.current = a
        own = a.type()
        if self.dialect == "stablehlo":
            lines = ['%t = "stablehlo.case"(%n) ({', *self.body(a.name, "%tx"), f"stablehlo.return %tx : {own}",
                     "}, {", *self.body(a.name, "%ty"), f"stablehlo.return %ty : {own}",
                     f"}}) : (tensor<i32>) -> {own}"]
        else:
            lines = [f"%t = scf.if %p -> ({own}) {{", *self.body(a.name, "%tx"), f"scf.yield %tx : {own}",
                     "} else {", *self.body(a.name, "%ty"), f"scf.yield %ty : {own}", "}"]
        self.region_result(a, lines, "%t")

    def add_barrier(self, a):
        if self.dialect == "stablehlo":
            self.region_result(a, [f"%t = stablehlo.optimization_barrier {a.name} : {a.type()}"], "%t")

    def region_result(self, a, lines, inner):
        """A result that is used under its own name."""
        self.current = a
        r = self.result(self.copy_dims(a.dims), [a],
                        lines + self.body(inner, "%r"))
        self.unite_values(a, r)

    def add_manual(self, a):
        if self.manual or not a.dims or len(a.dims[0]) > 1 or a.dims[0][0].size % 2:
            return
        local = tensor([a.shape()[0] // 2] + a.shape()[1:])
        shardings = []
        for _ in range(2):
            first = self.random.choice(['{"m"}', '{"m", ?}'])
            shardings.append("<@mesh, [" + ", ".join([first] + ["{?}"] * (len(a.dims) - 1)) + "]>")
        self.current = Value("", [[Atom(size)] for size in [a.shape()[0] // 2] + a.shape()[1:]])
        r = self.result(self.copy_dims(a.dims), [a], [
            f"%r = sdy.manual_computation({a.name}) in_shardings=[{shardings[0]}] "
            f'out_shardings=[{shardings[1]}] manual_axes={{"m"}} (%tv: {local}) {{',
            *self.body("%tv", "%ts"), f"sdy.return %ts : {local}", f"}} : ({a.type()}) -> {a.type()}"])
        self.unite_values(a, r)
        self.manual = (a, r)

    def add_group(self, a):
        others = [v for v in self.values if v.sizes() == a.sizes() and v is not a]
        if not others:
            return
        b = self.random.choice(others)
        left, right = a, b
        if not self.conflicts:  # members without seeds, so that they start alike
            left, right = (self.result(self.copy_dims(v.dims), [v], self.pointwise("tanh", [v], "%r"))
                           for v in (a, b))
        number = len(self.ops)
        for v in (left, right):
            self.ops.append(([f"sdy.sharding_group {v.name} group_id={number} : {a.type()}"], None, [v]))
        self.unite_values(a, left, right, b)

    def add_call(self, a):
        name = f"@f{'x'.join(map(str, a.shape()))}"
        self.current = a
        self.functions[name] = [
            f"func.func private {name}(%x: {a.type()}) -> {a.type()} {{",
            *self.body("%x", "%y"), f"return %y : {a.type()}", "}"]
        self.unite_values(a, self.result(self.copy_dims(a.dims), [a], [
            f"%r = func.call {name}({a.name}) : ({a.type()}) -> {a.type()}"]))

    # Shardings

    def choose_units(self):
        classes = {}
        for value in self.values:
            for d, i in value.positions():
                root = value.dims[d][i].find()
                classes.setdefault(id(root), (root, []))[1].append((value, d, i))
        units = [unit for unit in UNITS if unit != '"m"']
        self.random.shuffle(units)
        roots = [root for root, places in classes.values()
                 if len({id(place[0]) for place in places}) == len(places)
                 and not self.meets_itself(root)]
        self.random.shuffle(roots)
        manual = self.manual and self.manual[0].dims[0][0].find()
        if manual:
            manual.units = ['"m"']
        for root in roots:
            if root is manual:
                continue
            left = root.size
            while self.random.random() < 0.6:
                found = [unit for unit in units if left % UNITS[unit] == 0]
                if not found:
                    break
                root.units.append(found[0])
                units.remove(found[0])
                left //= UNITS[found[0]]
        self.is_valid = not manual or manual in roots

    def meets_itself(self, root):
        """Whether an op has the class in two factors."""
        ops = [op for op, places in self.links
               if places[0][0].dims[places[0][1]][places[0][2]].find() is root]
        return len(set(ops)) != len(ops)

    def choose_seeds(self):
        def seed(value):
            if self.conflicts:
                return any_sharding(self.random, MESH, "d", len(value.dims))
            for d, dim in enumerate(value.dims):
                for i, atom in enumerate(dim):
                    count = self.random.randint(0, len(atom.find().units))
                    if not value.raise_known(d, i, count):
                        break
            return self.sharding(value)

        for value in self.arguments:
            if self.random.random() < 0.6:
                self.seeds[value.name] = seed(value)
        for lines, value, _ in self.ops:
            if any("<SEED>" in line for line in lines):
                self.seeds[value.name] = seed(value)
        self.result_seeds = {value.name: seed(value) for value in self.values
                             if self.random.random() < 0.15}
        if self.manual:
            for value in self.manual:
                value.raise_known(0, 0, 1)

    def sharding(self, value):
        dims = []
        for text in value.dim_texts():
            priority = f"p{self.random.randint(0, 3)}" if self.random.random() < 0.3 else ""
            dims.append("{" + (text + ", ?" if text else "?") + "}" + priority)
        return f"<@mesh, [{', '.join(dims)}]>"

    def solve(self):
        changed = True
        while changed:
            changed = False
            for _, places in self.links:
                count = max(value.known[d][i] for value, d, i in places)
                for value, d, i in places:
                    changed |= value.raise_known(d, i, count)

    def expected(self):
        """Of each value, the axes of each dimension."""
        return [value.dim_texts() for value in self.values]

    def text(self, seed):
        """Ops and functions in an order that depends on `seed`."""
        order = random.Random(seed)
        done, left, lines = {value.name for value in self.arguments}, list(self.ops), []
        while left:
            ready = [op for op in left if all(v.name in done for v in op[2])]
            op = order.choice(ready)
            left.remove(op)
            if op[1]:
                done.add(op[1].name)
            seed_text = self.seeds.get(op[1].name, "") if op[1] else ""
            lines += ["  " + line.replace("<SEED>", seed_text) for line in op[0]]
        arguments = []
        for value in self.arguments:
            note = self.seeds.get(value.name)
            note = f" {{sdy.sharding = #sdy.sharding{note}}}" if note else ""
            arguments.append(f"{value.name}: {value.type()}{note}")
        arguments.append("%n: tensor<i32>" if self.dialect == "stablehlo" else "%n: index, %p: i1")
        results = []
        for value in self.values:
            note = self.result_seeds.get(value.name)
            results.append(value.type() + (f" {{sdy.sharding = #sdy.sharding{note}}}" if note else ""))
        names = ", ".join(value.name for value in self.values)
        types = ", ".join(value.type() for value in self.values)
        functions = ["\n".join(function) for function in self.functions.values()]
        functions.append("\n".join([
            f"func.func public @main({', '.join(arguments)}) -> ({', '.join(results)}) {{", *lines,
            f"  return {names} : {types}", "}"]))
        order.shuffle(functions)
        return "\n".join([mesh_text(MESH), *functions, ""])
