// Part of ipu-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs ONNX models with onnxruntime-node. A request is a line of JSON on standard input:
//
//   {"model": PATH, "optimize": LEVEL, "runs": N, "inputs": {NAME: TENSOR, ...}}
//
// where a TENSOR is {"type": TYPE, "dims": [...], "data": BASE64}, and TYPE is a name of
// onnxruntime's JavaScript interface. Each request has one answer, a line of JSON:
//
//   {"outputs": {NAME: TENSOR, ...}, "seconds": SECONDS_OF_ONE_RUN}
//   {"stage": "load" or "run", "error": MESSAGE}

'use strict';

const readline = require('readline');
const ort = require('onnxruntime-node');

const ARRAYS = {
  bool: Uint8Array,
  float16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
};

function decode({type, dims, data}) {
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'));
  return new ort.Tensor(type, new ARRAYS[type](bytes.buffer), dims);
}

function encode(tensor) {
  if (!(tensor.type in ARRAYS)) throw new Error(`unsupported output type ${tensor.type}`);
  const {buffer, byteOffset, byteLength} = tensor.data;
  const data = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  return {type: tensor.type, dims: tensor.dims, data};
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

async function run({model, optimize, runs, inputs}) {
  let stage = 'load';
  let session;
  try {
    session = await ort.InferenceSession.create(model, {
      graphOptimizationLevel: optimize,
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      logSeverityLevel: 4,
    });
    stage = 'run';
    const feeds = mapValues(inputs, decode);
    let outputs = await session.run(feeds);
    const start = process.cpuUsage();
    for (let i = 1; i < runs; ++i) outputs = await session.run(feeds);
    const {user, system} = process.cpuUsage(start);
    const seconds = (user + system) / 1e6 / Math.max(runs - 1, 1);
    return {outputs: mapValues(outputs, encode), seconds};
  } catch (error) {
    return {stage, error: String(error.message || error)};
  } finally {
    if (session) await session.release();
  }
}

async function main() {
  ort.env.logLevel = 'fatal';
  for await (const line of readline.createInterface({input: process.stdin})) {
    process.stdout.write(JSON.stringify(await run(JSON.parse(line))) + '\n');
  }
}

main();
