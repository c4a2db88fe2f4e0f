// Poses a .glb with three.js and prints where it puts every node and every skinned vertex, as JSON:
//     node pose.mjs FILE CLIP TIME...
// { nodes: { index: matrices }, meshes: [{ node, primitive, positions }] }, pose after pose, base64 of float64;
// matrices column-major, everything in world space. Vertices follow their first four influences, as three.js has it.
import { readFile } from "node:fs/promises";
import * as THREE from "three";
import { GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

const JSON_CHUNK = 0x4e4f534a;

// The same file without its looks: three.js needs a browser to decode images.
function withoutMaterials(glb) {
  const length = glb.readUInt32LE(12);
  if (glb.readUInt32LE(16) !== JSON_CHUNK) throw new Error("the first chunk is not JSON");
  const document = JSON.parse(glb.subarray(20, 20 + length).toString("utf8"));
  for (const key of ["materials", "textures", "images", "samplers"]) delete document[key];
  for (const mesh of document.meshes) {
    for (const primitive of mesh.primitives) delete primitive.material;
  }
  let text = Buffer.from(JSON.stringify(document));
  text = Buffer.concat([text, Buffer.alloc(-text.length & 3, " ")]);
  const head = Buffer.from(glb.subarray(0, 20));
  const bytes = Buffer.concat([head, text, glb.subarray(20 + length)]);
  bytes.writeUInt32LE(bytes.length, 8);
  bytes.writeUInt32LE(text.length, 12);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
}

function load(buffer) {
  return new Promise((resolve, reject) => new GLTFLoader().parse(buffer, "", resolve, reject));
}

function setPose(gltf, mixer, clip, time) {
  const action = mixer.clipAction(gltf.animations[clip]);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.reset().play();
  action.time = time;
  mixer.update(0);
  for (const scene of gltf.scenes) scene.updateMatrixWorld(true);
}

function worldPositions(mesh) {
  const bind = mesh.geometry.attributes.position;
  const positions = new Float64Array(bind.count * 3);
  const vertex = new THREE.Vector3();
  for (let index = 0; index < bind.count; index++) {
    mesh.applyBoneTransform(index, vertex.fromBufferAttribute(bind, index));
    vertex.applyMatrix4(mesh.matrixWorld).toArray(positions, index * 3);
  }
  return positions;
}

// The node that shows a mesh: the object itself, or its parent where the mesh has several primitives.
function nodeOf(gltf, object) {
  return gltf.parser.associations.get(object)?.nodes ?? gltf.parser.associations.get(object.parent).nodes;
}

function base64(arrays) {
  return Buffer.concat(arrays.map((array) => Buffer.from(array.buffer))).toString("base64");
}

const [file, clip, ...times] = process.argv.slice(2);
const gltf = await load(withoutMaterials(await readFile(file)));
const mixer = new THREE.AnimationMixer(gltf.scene);
const nodes = {};
const meshes = new Map();
for (const time of times) {
  setPose(gltf, mixer, Number(clip), Number(time));
  gltf.scene.traverse((object) => {
    const association = gltf.parser.associations.get(object);
    if (association?.nodes !== undefined) {
      (nodes[association.nodes] ??= []).push(new Float64Array(object.matrixWorld.elements));
    }
    if (object.isSkinnedMesh) {
      if (!meshes.has(object)) {
        meshes.set(object, { node: nodeOf(gltf, object), primitive: association?.primitives ?? 0, positions: [] });
      }
      meshes.get(object).positions.push(worldPositions(object));
    }
  });
}
process.stdout.write(
  JSON.stringify({
    nodes: Object.fromEntries(Object.entries(nodes).map(([index, matrices]) => [index, base64(matrices)])),
    meshes: [...meshes.values()].map((mesh) => ({ ...mesh, positions: base64(mesh.positions) })),
  }),
);
