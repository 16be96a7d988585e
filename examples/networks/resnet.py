# Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ResNet-50 (He, Zhang, Ren and Sun, "Deep residual learning for image recognition", 2015, table 1)."""

from formulas import max_pool, relu

FULL = {"batch": 1, "size": 224, "width": 64, "blocks": (3, 4, 6, 3), "classes": 1000}
SMALL = {"batch": 1, "size": 32, "width": 8, "blocks": (1, 2), "classes": 10}


def write(net, sizes):
    def conv(name, x, channels, kernel, stride=1, scale=1):
        return net.batch_norm(f"{name}_norm", net.conv(name, x, channels, kernel, stride, has_bias=False), scale)

    def block(x, width, stride):
        """A bottleneck. The 3 x 3 convolution has the stride, as in "version 1.5" of implementations."""
        y = net.op("Relu", conv("reduce", x, width, 1))
        y = net.op("Relu", conv("spatial", y, width, 3, stride))
        y = conv("expand", y, 4 * width, 1, scale=0.25)
        shortcut = x if x.shape == y.shape else conv("shortcut", x, 4 * width, 1, stride)
        return net.op("Relu", net.op("Add", y, shortcut))

    x = net.input("image", sizes.batch, 3, sizes.size, sizes.size)
    x = net.max_pool(net.op("Relu", conv("stem", x, sizes.width, 7, 2)), 3, 2)
    for stage, count in enumerate(sizes.blocks):
        for number in range(count):
            with net.scope(f"stage{stage}/block{number}"):
                x = block(x, sizes.width << stage, 2 if stage and not number else 1)
    x = net.reshape(net.mean_of_channels(x), sizes.batch, x.shape[1])
    net.output("logits", net.linear("classify", x, sizes.classes))


def evaluate(weights, inputs, sizes):
    def conv(weights, name, x, stride=1):
        return weights.batch_norm(f"{name}_norm", weights.conv(name, x, stride=stride))

    x = max_pool(relu(conv(weights, "stem", inputs["image"], 2)), 3, 2)
    for stage, count in enumerate(sizes.blocks):
        for number in range(count):
            own, stride = weights / f"stage{stage}/block{number}", 2 if stage > 0 and number == 0 else 1
            y = conv(own, "expand", relu(conv(own, "spatial", relu(conv(own, "reduce", x)), stride)))
            x = relu(y + (conv(own, "shortcut", x, stride) if number == 0 else x))
    return {"logits": weights.linear("classify", x.mean(axis=(2, 3)))}
