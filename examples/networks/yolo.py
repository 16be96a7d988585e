# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""YOLOv3, which finds objects in pictures (Redmon and Farhadi, "YOLOv3: an incremental improvement", 2018): Darknet-53
(table 1), and boxes at three scales (sections 2.1 and 2.3)."""

import numpy as np

from formulas import sigmoid

FULL = {"batch": 1, "size": 416, "width": 32, "blocks": (1, 2, 8, 8, 4), "classes": 80}
SMALL = {"batch": 1, "size": 64, "width": 4, "blocks": (1, 1, 1, 1, 1), "classes": 3}
# Widths and heights of the boxes that each scale changes, in pixels, from the last stage of Darknet-53 on.
ANCHORS = np.array([[(116, 90), (156, 198), (373, 326)], [(30, 61), (62, 45), (59, 119)], [(10, 13), (16, 30), (33, 23)]])


def write(net, sizes):
    def conv(name, x, channels, kernel, stride=1, scale=1):
        y = net.batch_norm(f"{name}_norm", net.conv(name, x, channels, kernel, stride, has_bias=False), scale)
        return net.op("LeakyRelu", y, name=f"{name}_leaky", alpha=0.1)

    def decode(x, anchors):
        """Boxes [batch, boxes, 5 + classes]: centre, width and height in pixels, the confidence, and the
        probability of each class."""
        n, channels, h, w = x.shape
        x = net.transpose(net.reshape(x, n, 3, channels // 3, h, w), 0, 1, 3, 4, 2)
        cells = np.stack(np.meshgrid(np.arange(float(w)), np.arange(float(h))), axis=-1)
        centres = net.op("Add", net.op("Sigmoid", net.slice(x, 4, 0, 2)), net.constant(cells, "cells"))
        centres = net.op("Mul", centres, net.constant(float(sizes.size // w), "cell_size"))
        anchors = net.constant(anchors[:, None, None].astype(float), "anchors")
        extents = net.op("Mul", net.op("Exp", net.slice(x, 4, 2, 4)), anchors)
        scores = net.op("Sigmoid", net.slice(x, 4, 4, channels // 3))
        return net.reshape(net.concat([centres, extents, scores], 4), n, 3 * h * w, channels // 3)

    x = conv("stem", net.input("image", sizes.batch, 3, sizes.size, sizes.size), sizes.width, 3)
    stages, boxes = [], []
    for stage, count in enumerate(sizes.blocks):
        with net.scope(f"stage{stage}"):
            x = conv("half", x, 2 * x.shape[1], 3, 2)
            for number in range(count):
                with net.scope(f"block{number}"):
                    y = conv("spatial", conv("reduce", x, x.shape[1] // 2, 1), x.shape[1], 3, scale=0.25)
                    x = net.op("Add", x, y)
            stages.append(x)
    for scale, anchors in enumerate(ANCHORS):
        with net.scope(f"scale{scale}"):
            channels = stages[-1 - scale].shape[1] // 2
            if scale:
                x = net.double_size(conv("up", x, channels, 1))
                x = net.concat([x, stages[-1 - scale]], 1)
            for number in range(5):
                x = conv(f"conv{number}", x, channels << number % 2, 1 + 2 * (number % 2))
            last = net.conv("boxes", conv("conv5", x, 2 * channels, 3), 3 * (5 + sizes.classes), 1)
            boxes.append(decode(last, anchors))
    net.output("boxes", net.concat(boxes, 1))


def evaluate(weights, inputs, sizes):
    def conv(own, name, x, stride=1):
        y = own.batch_norm(f"{name}_norm", own.conv(name, x, stride=stride))
        return np.where(y > 0, y, y / 10)

    def decode(x, anchors):
        results = []
        for anchor, (width, height) in enumerate(anchors):
            part = x[:, anchor * (5 + sizes.classes):][:, :5 + sizes.classes]
            rows, columns = np.indices(x.shape[2:])
            cell = sizes.size / x.shape[3]
            box = [cell * (sigmoid(part[:, 0]) + columns), cell * (sigmoid(part[:, 1]) + rows),
                   width * np.exp(part[:, 2]), height * np.exp(part[:, 3]), *sigmoid(part[:, 4:]).swapaxes(0, 1)]
            results.append(np.stack(box, axis=-1).reshape(len(x), -1, 5 + sizes.classes))
        return np.concatenate(results, axis=1)

    x, stages, boxes = conv(weights, "stem", inputs["image"]), [], []
    for stage, count in enumerate(sizes.blocks):
        own = weights / f"stage{stage}"
        x = conv(own, "half", x, 2)
        for number in range(count):
            block = own / f"block{number}"
            x = x + conv(block, "spatial", conv(block, "reduce", x))
        stages.append(x)
    for scale, anchors in enumerate(ANCHORS):
        own, kept = weights / f"scale{scale}", stages.pop()
        if scale > 0:
            x = np.concatenate([np.kron(conv(own, "up", x), np.ones((2, 2))), kept], axis=1)
        for number in range(5):
            x = conv(own, f"conv{number}", x)
        boxes.append(decode(own.conv("boxes", conv(own, "conv5", x)), anchors))
    return {"boxes": np.concatenate(boxes, axis=1)}
