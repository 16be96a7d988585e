"""expect-npz.py FILE 'name=value; ...': fails unless FILE has exactly these
arrays, uncompressed and sound; values are Python expressions on numpy (np)."""

import sys
import zipfile

import numpy as np

path, text = sys.argv[1:]
with zipfile.ZipFile(path) as archive:
    assert archive.testzip() is None
    assert all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist())
expected = {}
for part in text.split(";"):
    name, value = part.split("=")
    expected[name.strip()] = eval(value)
with np.load(path, allow_pickle=False) as found:
    assert sorted(found) == sorted(expected), sorted(found)
    for name, value in expected.items():
        assert found[name].dtype == value.dtype, (name, found[name].dtype)
        np.testing.assert_array_equal(found[name], value, err_msg=name, strict=True)
