"""Compares the remark of pop-map-tensors with the costs of the program."""

import re
import sys

with open(sys.argv[1]) as file:
    remark = re.search(r"pop-map-tensors.*", file.read()).group()
plan = {key: int(value) for key, value in re.findall(r"([\w-]+)=(\d+)", remark)}
with open(sys.argv[2]) as file:
    program = file.read()
lowered = sum(map(int, re.findall(r"cost <cycles = \[(\d+)\]", program)))
live = sum(map(int, re.findall(r"always_live = (\d+)", program)))
print("planned is lowered:", plan["unmerged"] == lowered)
print("data is at least what is live:", plan["data"] >= live)
print("generic over planned above 2:", plan["generic"] > 2 * plan["cycles"])
print("plan hits above half:", 2 * plan["plan-hits"] > plan["plans"])
print("table hits above a third:", 3 * plan["table-hits"] > plan["tables"])
