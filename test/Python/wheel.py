# The wheel has the packages of the build folder, the hashes of all files, and no debug
# information. Two wheels of one build are equal.
# RUN: rm -rf %t && mkdir -p %t/first %t/second %t/site
# RUN: %python %src_root/utils/build-wheel --build %python_path/.. --output %t/first > %t/path
# RUN: %python %src_root/utils/build-wheel --build %python_path/.. --output %t/second
# RUN: %python %s %t
# RUN: env PYTHONPATH=%t/site %python -c "import ipu_mlir, sys; assert ipu_mlir.__file__.startswith(sys.argv[1])" %t

import base64
import csv
import glob
import hashlib
import io
import os
import sys
import zipfile

folder = sys.argv[1]
(first,) = glob.glob(os.path.join(folder, "first", "*.whl"))
(second,) = glob.glob(os.path.join(folder, "second", "*.whl"))
with open(os.path.join(folder, "path"), encoding="utf-8") as file:
    assert os.path.samefile(file.read().strip(), first)
with open(first, "rb") as one, open(second, "rb") as two:
    assert one.read() == two.read()

wheel = zipfile.ZipFile(first)
names = wheel.namelist()
(record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert [row[0] for row in rows] == names, names
for name, digest, size in rows:
    if name == record:
        continue
    data = wheel.read(name)
    expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert (digest, size) == ("sha256=" + expected, str(len(data))), name
assert {"ipu_mlir/__init__.py", "ipu_mlir/_native.pyi", "ipu_mlir/py.typed"} <= set(names), names
assert not any("__pycache__" in name for name in names), names
(module,) = [name for name in names if name.endswith(".so")]
assert b".debug_info" not in wheel.read(module)
wheel.extractall(os.path.join(folder, "site"))
