// Runs the Khronos glTF validator over the files given and prints a JSON array: one report per file, in order.
// A process of its own, because the validator can overflow its stack on deep node chains.
import { readFile } from "node:fs/promises";
import path from "node:path";
import validator from "gltf-validator";

async function validate(file) {
  const folder = path.dirname(path.resolve(file));
  return validator.validateBytes(new Uint8Array(await readFile(file)), {
    uri: path.basename(file),
    maxIssues: 0, // no limit: a cut list could hide the error that matters
    writeTimestamp: false,
    externalResourceFunction: async (uri) =>
      new Uint8Array(await readFile(path.resolve(folder, decodeURIComponent(uri)))),
  });
}

const reports = [];
for (const file of process.argv.slice(2)) {
  reports.push(await validate(file));
}
process.stdout.write(JSON.stringify(reports));
