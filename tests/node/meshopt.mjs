// Decodes every compressed buffer view of the glTF binaries given, with the JavaScript build of the codec, and prints a
// JSON array: per file an object from the view's number to its bytes in base64.
import { readFile } from "node:fs/promises";
import { MeshoptDecoder } from "meshoptimizer";

const EXTENSIONS = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

function chunks(file) {
  const length = file.readUInt32LE(12);
  const json = JSON.parse(file.subarray(20, 20 + length).toString("utf8"));
  return [json, file.subarray(28 + length)];
}

async function decode(path) {
  const [json, binary] = chunks(await readFile(path));
  const found = {};
  for (const [number, view] of (json.bufferViews ?? []).entries()) {
    for (const name of EXTENSIONS) {
      const how = view.extensions?.[name];
      if (how === undefined) continue;
      if (how.buffer !== 0) throw new Error("the payload is in no chunk");
      const start = how.byteOffset ?? 0;
      const out = new Uint8Array(how.count * how.byteStride);
      const payload = new Uint8Array(binary.subarray(start, start + how.byteLength));
      MeshoptDecoder.decodeGltfBuffer(out, how.count, how.byteStride, payload, how.mode, how.filter);
      found[number] = Buffer.from(out).toString("base64");
    }
  }
  return found;
}

await MeshoptDecoder.ready;
const result = [];
for (const path of process.argv.slice(2)) result.push(await decode(path));
process.stdout.write(JSON.stringify(result));
