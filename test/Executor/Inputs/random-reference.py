"""Checks what random.mlir gave, in DIRECTORY, against the definitions.

usage: random-reference.py DIRECTORY counter|stream SEED ROWS COLUMNS

ROWS and COLUMNS say how many tiles the tensors are cut for.
"""
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "utils"))
from pop_random import philox

TILES, WORKERS, SHAPE = 4, 6, (6, 10)
LOW = 0xFFFFFFFF


class Worker:
    def __init__(self, s0, s1):
        self.s0, self.s1 = s0 % 2**64, s1 % 2**64

    def draw(self):
        def rotl(value, by):
            return (value << by | value >> (64 - by)) % 2**64

        x, a = self.s0 ^ self.s1, self.s0 & self.s1
        result = x ^ (rotl(a, 1) | rotl(a, 2))
        self.s0 = rotl(self.s0, 55) ^ x ^ (x << 14) % 2**64
        self.s1 = rotl(x, 36)
        return result

    def words(self):
        return [self.s0 & LOW, self.s0 >> 32, self.s1 & LOW, self.s1 >> 32]


class Counter:
    def __init__(self, seed, modifier, replica, boxes):
        self.state = [seed & LOW, seed >> 32, 0, modifier * 2**20 + replica]

    def bits(self, number, offset=0):
        w = self.state
        count = (w[2] + offset) % 2**32
        return philox(w[:2], (np.arange(SHAPE[0] * SHAPE[1]), count, w[3], 16 * number))[0].reshape(SHAPE)

    def advance(self):
        self.state[2] += 1

    def words(self):
        result = np.zeros((TILES, WORKERS, 4), np.uint32)
        result[:, 0] = self.state
        return result


class Stream:
    def __init__(self, seed, modifier, replica, boxes):
        self.boxes = boxes
        self.tiles = [[Worker(seed + replica, ((t << 4) ^ 0xAAAAAAA0 | w) + ((modifier ^ 0x55555555) << 32))
                       for w in range(WORKERS)] for t in range(TILES)]
        for tile in self.tiles:
            for worker in tile:
                for _ in range(15):
                    worker.draw()

    def bits(self, number, offset=0):
        result = np.zeros(SHAPE, np.int64)
        for tile, box in enumerate(self.boxes):
            here = np.zeros(result[box].shape, np.int64)
            for e in range(0, here.size, 4):
                drawn = self.tiles[tile][e // 4 % WORKERS].draw()
                for lane in range(min(4, here.size - e)):
                    here.flat[e + lane] = (drawn >> (16 * lane) & 0xFFFF) << 16
            result[box] = here
        return result

    def advance(self):
        pass

    def words(self):
        return np.array([[w.words() for w in tile] for tile in self.tiles], np.uint32)


def round_f16(x, bits):
    """All numbers are finite and small."""
    x = float(x)
    nearest = np.float16(abs(x))
    lo = nearest if float(nearest) <= abs(x) else np.nextafter(nearest, np.float16(0))
    hi = np.nextafter(lo, np.float16(np.inf))
    part = (abs(x) - float(lo)) / (float(hi) - float(lo))
    result = hi if bits < int(part * 2**32) else lo
    return np.copysign(result, np.float16(x))


def main():
    directory, kind, seed, rows, columns = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:])
    height, width = SHAPE[0] // rows, SHAPE[1] // columns
    boxes = [np.s_[r * height:(r + 1) * height, c * width:(c + 1) * width]
             for r in range(rows) for c in range(columns)]
    generator = Counter if kind == "counter" else Stream
    x = np.load(f"{directory}/back.npy")
    everywhere = generator(seed, 0, 0, boxes)
    each = [generator(seed, 4095, replica, boxes) for replica in range(2)]
    around = np.vectorize(round_f16, otypes=[np.float16])

    number = np.arange(60).reshape(SHAPE)
    expected = {"number": number.astype(np.int32)}
    key = number.ravel()
    a, b, c, d = (word.astype(np.uint32) for word in philox((key, 12345), (12345, key, 12345, key)))
    expected["hash"] = ((a - b - c) ^ d).reshape(SHAPE)
    expected["bits"] = np.stack([everywhere.bits(3, -2).astype(np.uint32)] * 2)
    expected["same"] = np.stack([around(x, everywhere.bits(3))] * 2)
    other = np.stack([around(x, own.bits(2**28 - 1)) for own in each])
    expected["other"] = other
    everywhere.advance()
    everywhere.bits(4)
    product = other[0].astype(np.float32) * other[1].astype(np.float32)
    expected["product"] = np.stack([around(product, own.bits(4, 5)) for own in each])
    bits = everywhere.bits(3)
    expected["mixed"] = np.stack([around(own.astype(np.float32) * np.float32(1.1), bits) for own in other])
    for state in [everywhere, *each]:
        state.advance()
    expected["all_after"] = np.stack([everywhere.words()] * 2)
    expected["none_after"] = np.stack([own.words() for own in each])

    # What is to be seen is there to be seen.
    assert (other[0] != other[1]).any() and (expected["product"][0] != expected["product"][1]).any()
    wrong = []
    for name, value in expected.items():
        actual = np.load(f"{directory}/{name}.npy")
        if actual.shape != value.shape or actual.tobytes() != value.tobytes():
            wrong.append(f"{name}: got\n{actual}\nbut expected\n{value}")
    sys.exit("\n".join(wrong) or 0)


main()
