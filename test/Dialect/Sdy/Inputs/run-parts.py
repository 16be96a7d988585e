"""Runs the functions of a program as it was given on one device, and as a pass left
it on all devices, and compares the results.

    run-parts.py GIVEN PARTITIONED        # both in the generic form

A device has whole tensors, of which it computes all: where shards are does not
matter. What it has of a partial value is its own. An op makes parts of a sum along
the axes of the dimensions that it sums up along, where its result is unreduced or is
reduced over them.

An axis is known by its mesh and its name. Meshes have the same devices."""

import itertools
import re
import sys

import numpy as np

AXES = re.compile(r'"(\w+)"')


def get_axes(text):
    """From [{"x"}, {}] or {"x"} to lists of names."""
    return [AXES.findall(braces) for braces in re.findall(r"\{([^{}]*)\}", text)]


class Sharding:
    def __init__(self, mesh, text):
        self.mesh = mesh
        dims = re.search(r"\[(.*?)\]", text)[1]
        self.dims = [self.qualify(names) for names in get_axes(dims)]
        unreduced = re.search(r"unreduced=\{([^}]*)\}", text)
        self.unreduced = self.qualify(AXES.findall(unreduced[1])) if unreduced else []

    def qualify(self, names):
        return [(self.mesh, name) for name in names]


SHARDING = re.compile(r"<@(\w+), (\[[^\]]*\](?:, (?:replicated|unreduced)=\{[^}]*\})*)>")


def get_shardings(text):
    return [Sharding(*found) for found in SHARDING.findall(text)]


class Op:
    def __init__(self, line):
        found = re.match(r'\s*(?:(%\w+) = )?"([\w.]+)"\(([^)]*)\)(.*)', line)
        self.result, self.name, operands, self.text = found.groups()
        self.operands = re.findall(r"%\w+", operands)
        self.arguments, self.body = [], []
        properties = re.search(r"<\{(.*?)\}>(?= \(\{| \{| :)", self.text)
        self.properties = properties[1] if properties else ""

    def get(self, name):
        return re.search(name + r" = (.*?)(?=, \w+ = |$)", self.properties)[1]

    def get_sharding(self):
        found = re.search(r"(?:\bsharding|out_shardings?) = (.*)", self.text)
        shardings = get_shardings(found[1]) if found else []
        return shardings[0] if shardings else None

    def get_axes(self, name):
        """Of the mesh of the result."""
        return self.get_sharding().qualify(AXES.findall(self.get(name)))

    def get_shape(self):
        return [int(n) for n in re.search(r"-> tensor<((?:\d+x)*)", self.text)[1].split("x")[:-1]]


def parse(path):
    """All ops at the top, with the ops of their regions."""
    stack = [Op('"top"()')]
    for line in open(path):
        if line.strip().startswith("})"):
            op = stack.pop()
            op.text += line.strip()
            properties = re.search(r"<\{(.*)\}>", op.text)
            op.properties = properties[1] if properties else ""
        elif line.strip().startswith("^"):
            stack[-1].arguments = re.findall(r"(%\w+): tensor<((?:\d+x)*)", line)
        elif '"(' in line:
            op = Op(line.rstrip("\n"))
            stack[-1].body.append(op)
            if line.rstrip().endswith("({"):
                stack.append(op)
    functions, meshes = {}, {}
    for op in stack[0].body[0].body:
        if op.name == "sdy.mesh":
            axes = [(name, int(size)) for name, size in re.findall(r'"(\w+)"=(\d+)', op.text)]
            ids = re.search(r"device_ids=\[([^\]]*)\]", op.text)
            ids = [int(i) for i in ids[1].split(",")] if ids else None
            meshes[re.search(r'sym_name = "(\w+)"', op.text)[1]] = axes, ids
        elif op.name == "func.func":
            functions[re.search(r'sym_name = "(\w+)"', op.text)[1]] = op
    return functions, meshes


class Run:
    def __init__(self, meshes):
        """Without meshes: one device, which has all of everything. A device has a place
        on each mesh."""
        self.sizes, self.ids, devices = {}, {}, {}
        for mesh, (axes, ids) in meshes.items():
            names = [(mesh, name) for name, _ in axes]
            sizes = [size for _, size in axes]
            self.sizes.update(zip(names, sizes))
            self.ids[mesh] = ids or list(range(int(np.prod(sizes))))
            for i, place in zip(self.ids[mesh], itertools.product(*map(range, sizes))):
                devices.setdefault(i, {}).update(zip(names, place))
        self.devices = [devices[i] for i in sorted(devices)] or [{}]

    def get_group(self, device, axes):
        """The devices that differ along these axes, all of one mesh, only."""
        axes = list(axes)
        return [i for i, other in enumerate(self.devices)
                if other is device or axes and all(
                    other[axis] == device[axis] for axis in self.sizes
                    if axis[0] == axes[0][0] and axis not in axes)]

    def get_mask(self, shape, dims, axes, device):
        """Where the digits of a position along the axes are those of the device."""
        mask = np.ones(shape, bool)
        for dim, lists in enumerate(dims):
            size = shape[dim]
            for axis in lists:
                size //= self.sizes[axis]
                if axis in axes:
                    digits = np.arange(shape[dim]) // size % self.sizes[axis]
                    mask &= (digits == device[axis]).reshape(
                        [-1 if i == dim else 1 for i in range(len(shape))])
        return mask

    def reduce(self, parts, axes):
        return [sum(parts[i] for i in self.get_group(device, axes)) for device in self.devices]

    def make_parts(self, op, users, values, shardings, number, summed, done=()):
        """The operand, summed up along these dimensions, with zeros outside of what the
        device sums up. Along the axes `done`, another operand has the zeros."""
        sharding = op.get_sharding()
        axes = list(sharding.unreduced) if sharding else []
        for user in users:
            for name in ("reduction_axes", "reduce_scatter_axes"):
                if op.result in user.operands and name in user.properties:
                    axes += user.get_axes(name)
        given = shardings.get(op.operands[number])
        if not self.sizes or not given:
            return values[op.operands[number]]
        axes = [axis for axis in axes if axis not in done]
        dims = [dim if i in summed else [] for i, dim in enumerate(given.dims)]
        return [part * self.get_mask(part.shape, dims, axes, device)
                for part, device in zip(values[op.operands[number]], self.devices)]

    def run(self, body, values, shardings):
        for op in body:
            name = op.name.split(".")[1]
            operands = [values[operand] for operand in op.operands]
            if name == "return":
                return operands
            method = getattr(self, "run_" + name, None)
            if method:
                result = method(op, operands, values, shardings, body)
            elif name in ("reshard", "sharding_constraint", "collective_permute"):
                result = self.move(operands[0], shardings.get(op.operands[0]),
                                   op.get_sharding())
            elif name in ("all_slice", "all_gather", "all_to_all"):
                result = operands[0]
            else:
                function = {"exponential": np.exp, "tanh": np.tanh, "negate": np.negative, "neg": np.negative,
                            "add": np.add, "multiply": np.multiply, "mul": np.multiply, "divide": np.divide,
                            "div": np.divide, "select": np.where}[name]
                result = [function(*parts) for parts in zip(*operands)]
            values[op.result] = result
            shardings[op.result] = op.get_sharding()

    def move(self, parts, before, after):
        """Parts of a sum go to the devices that have their places on the other mesh."""
        if not self.sizes or not before or not before.unreduced:
            return parts
        moved = dict(zip(self.ids[after.mesh], self.ids[before.mesh]))
        return [parts[moved[i]] for i in range(len(parts))]

    def run_constant(self, op, *_):
        value = float(re.search(r"dense<([^>]*)>", op.text)[1])
        return [np.full(op.get_shape(), value)] * len(self.devices)

    def run_dot_general(self, op, operands, values, shardings, body):
        """Where operands are sharded along different axes, they are brought together:
        it is enough that one of them has zeros."""
        parts, done = [], []
        for number, side in enumerate(("lhs", "rhs")):
            dim = int(re.search(side + r"_contracting_dimensions = \[(\d)\]", op.text)[1])
            parts.append(self.make_parts(op, body, values, shardings, number, [dim], done))
            given = shardings.get(op.operands[number])
            done = given.dims[dim] if given else []
        return [a @ b for a, b in zip(*parts)]

    def run_reduce(self, op, operands, values, shardings, body):
        """A sum along one dimension."""
        dim = int(re.search(r"dimensions = array<i64: (\d+)>", op.text)[1])
        parts = self.make_parts(op, body, values, shardings, 0, [dim])
        return [part.sum(dim) + start for part, start in zip(parts, operands[1])]

    def run_pad(self, op, operands, *_):
        """Adds zeros at the end."""
        high = re.search(r"high = array<i64: ([^>]*)>", op.text)[1]
        return [np.pad(part, [(0, int(n)) for n in high.split(",")]) for part in operands[0]]

    def run_scatter(self, op, operands, values, shardings, body):
        """Adds rows of the updates to rows of the operand."""
        results = []
        for base, rows, updates in zip(operands[0], operands[1],
                                       self.make_parts(op, body, values, shardings, 2,
                                                       range(operands[2][0].ndim))):
            results.append(base.copy())
            np.add.at(results[-1], rows.astype(int)[:, 0] % len(base), updates)
        return results

    def run_all_reduce(self, op, operands, *_):
        return self.reduce(operands[0], op.get_axes("reduction_axes"))

    def run_reduce_scatter(self, op, operands, *_):
        return self.reduce(operands[0], op.get_axes("reduce_scatter_axes"))

    def run_replicated_to_unreduced(self, op, operands, *_):
        axes = op.get_axes("axes")
        return [part * all(device[axis] == 0 for axis in axes)
                for part, device in zip(operands[0], self.devices)]

    def run_sharded_to_unreduced(self, op, operands, *_):
        lists = [op.get_sharding().qualify(names) for names in get_axes(op.get("axes"))]
        dims = [kept + more for kept, more in zip(op.get_sharding().dims, lists)]
        return [part * self.get_mask(part.shape, dims, sum(lists, []), device)
                for part, device in zip(operands[0], self.devices)]

    def run_manual_computation(self, op, operands, values, shardings, body):
        """Each device takes its blocks along the manual axes, and the one result is put
        together from the blocks of the devices along them."""
        lists = (re.search(name + r" = #sdy.sharding_per_value<\[(.*?)\]>(?:, \w+ = |$)",
                           op.properties) for name in ("in_shardings", "out_shardings"))
        ins, outs = (get_shardings(found[1]) for found in lists)
        manual = outs[0].qualify(AXES.findall(op.get("manual_axes")))

        def get_blocks(shape, sharding, device):
            dims = [[axis for axis in dim if axis in manual] for dim in sharding.dims]
            return np.ix_(*(np.flatnonzero(self.get_mask([size], [dim], manual, device))
                            for size, dim in zip(shape, dims)))
        inner, known = {}, {}
        for (name, _), parts, sharding in zip(op.arguments, operands, ins):
            inner[name] = [part[get_blocks(part.shape, sharding, device)]
                           for part, device in zip(parts, self.devices)] if self.sizes else parts
        returned = self.run(op.body, inner, known)
        if not self.sizes:
            return returned[0]
        results = []
        for device in self.devices:
            results.append(np.zeros(op.get_shape()))
            for i in self.get_group(device, manual):
                place = get_blocks(op.get_shape(), outs[0], self.devices[i])
                results[-1][place] = returned[0][i]
        return results


def make_inputs(function, run):
    """Parts of each argument on all devices, as the partitioned function takes them, and
    their sums."""
    random = np.random.default_rng(7)
    attributes = re.search(r"arg_attrs = \[(.*?)\], function_type", function.text)
    found = re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", attributes[1]) if attributes else []
    parts, wholes, shardings = {}, {}, {}
    for i, (name, shape) in enumerate(function.arguments):
        shape = [int(n) for n in shape.split("x")[:-1]]
        given = get_shardings(found[i]) if i < len(found) else []
        shardings[i] = given[0] if given else None
        axes = shardings[i].unreduced if given else []
        mesh = given[0].mesh if given else next(iter(run.ids))
        pieces = random.integers(-3, 4, [len(run.devices)] + shape).astype(float)
        # Where the value is not partial, all have the same.
        same = [axis for axis in run.sizes if axis[0] == mesh and axis not in axes]
        number = [run.get_group(device, same)[0] for device in run.devices]
        parts[i] = [pieces[n] for n in number]
        wholes[i] = [run.reduce(parts[i], axes)[0]]
    return parts, wholes, shardings


def main():
    given, meshes = parse(sys.argv[1])
    run = Run(meshes)
    partitioned, _ = parse(sys.argv[2])
    wrong = 0
    for name, function in given.items():
        if not function.body:
            continue
        other = partitioned[name]
        parts, wholes, shardings = make_inputs(other, run)

        def bind(target, source):
            return {argument: source[i] for i, (argument, _) in enumerate(target.arguments)}
        expected = Run({}).run(function.body, bind(function, wholes), {})
        found = run.run(other.body, bind(other, parts), bind(other, shardings))
        attributes = re.search(r"res_attrs = \[(.*?)\], sym_name", other.text)
        attributes = re.findall(r"\{(?:[^{}]|\{[^{}]*\})*\}", attributes[1]) if attributes else []
        for i, (want, got) in enumerate(zip(expected, found)):
            result = get_shardings(attributes[i]) if i < len(attributes) else []
            got = run.reduce(got, result[0].unreduced if result else [])
            if not all(np.allclose(want[0], part) for part in got):
                print(f"@{name} result {i}: expected\n{want[0]}\nfound\n{got}")
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
