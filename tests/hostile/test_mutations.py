"""Small files changed at random, thousands of them: refused in our own words, or read to something sound."""

import copy
import json

import numpy as np
import pytest

from gltf_builder import glb, strip
from morphs import MorphedStrip
from packed import eight, pack, parts
from skinproof.errors import SkinproofError
from skinproof.formats.gltf.read import read
from skinproof.model.invariants import broken_invariants

ROUNDS = 1_500
HOSTILE = [0, 1, -1, 2**31, 2**53, 10**30, 0.5, 1e308, True, None, "", "x", [], [0], {}, {"a": 0}, [[]]]


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    sparse = strip()
    sparse.sparsify(sparse.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"], [1, 3])
    return {
        "strip": strip().save(folder / "strip.glb"),
        "eight": eight().save(folder / "eight.glb"),
        "sparse": sparse.save(folder / "sparse.glb"),
        "morphs": MorphedStrip().builder.save(folder / "morphs.glb"),
        "packed": pack(eight(), folder / "packed.glb"),
    }


def ends_well(data):
    """Whether the file is read at all; what is read must be sound, and nothing but our own errors may come out."""
    try:
        character = read("mutated.glb", data=data)
    except SkinproofError:
        return False
    assert broken_invariants(character) == ()
    return True


def places(value, found=None):
    """Every holder and key within a JSON value."""
    found = [] if found is None else found
    for key in value if isinstance(value, dict) else range(len(value)):
        found.append((value, key))
        if isinstance(value[key], dict | list):
            places(value[key], found)
    return found


@pytest.mark.parametrize("name", ["strip", "eight", "sparse", "morphs", "packed"])
def test_bytes(sources, name):
    generator = np.random.default_rng(len(name))
    whole = sources[name].read_bytes()
    read_at_all = 0
    for _ in range(ROUNDS):
        mutated = bytearray(whole)
        for place in generator.integers(0, len(mutated), generator.integers(1, 8)):
            mutated[place] = generator.integers(0, 256)
        read_at_all += ends_well(bytes(mutated))
    assert 0 < read_at_all < ROUNDS


@pytest.mark.parametrize("name", ["strip", "eight", "sparse", "morphs", "packed"])
def test_structure(sources, name):
    generator = np.random.default_rng(len(name))
    document, binary = parts(sources[name])
    read_at_all = 0
    for _ in range(ROUNDS):
        mutated = copy.deepcopy(document)
        for _ in range(int(generator.integers(1, 4))):
            found = places(mutated)
            holder, key = found[int(generator.integers(len(found)))]
            value = HOSTILE[int(generator.integers(len(HOSTILE)))]
            other, place = found[int(generator.integers(len(found)))]
            holder[key] = copy.deepcopy(other[place] if generator.random() < 0.3 else value)
        try:
            text = json.dumps(mutated).encode()
        except ValueError:  # a ring: no file can hold it
            continue
        read_at_all += ends_well(glb(text, binary))
    assert 0 < read_at_all < ROUNDS
